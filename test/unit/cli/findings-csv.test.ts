import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { csvLine } from '../../../src/cli/findings/csv.ts'

test('a cell from outside is never a formula', () => {
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '=HYPERLINK("https://evil.example")'])
    equal(csvLine([text]), `"'${text.replaceAll('"', '""')}"\r\n`)
  // Control characters are visible escapes before anything else.
  equal(csvLine(['\t=1', '\r=1', '\n']), '"\\u0009=1","\\u000d=1","\\u000a"\r\n')
})

test('quotes are doubled, numbers and nothing stay what they are', () => {
  equal(csvLine(['a "b", c', -3, null, undefined]), '"a ""b"", c","-3","",""\r\n')
})

test('control sequences and reversals are visible', () => {
  equal(csvLine(['\u001b[2J\u202e']), '"\\u001b[2J\\u202e"\r\n')
})
