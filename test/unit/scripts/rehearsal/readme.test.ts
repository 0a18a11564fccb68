import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { readmeAsItStands, readmeText } from '../../../../scripts/rehearsal/readme.ts'

test('README.md of the rehearsal says what the catalogue says (node scripts/rehearsal/readme.ts writes it)', () => {
  equal(readmeAsItStands(), readmeText())
})
