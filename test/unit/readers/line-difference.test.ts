import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { lineDifference } from '../../../src/readers/difference/line-difference.ts'
import { adsTxtMeanings, robotsMeanings } from '../../../src/readers/difference/line-meaning.ts'
import { siteOfHost } from '../../../src/kernel/site.ts'
import { fc } from '../../support/property.ts'

const adsTxt = (text: string) => ({
  text,
  means: adsTxtMeanings(Buffer.from(text), siteOfHost('one.example')),
})
const robots = (text: string) => ({ text, means: robotsMeanings(Buffer.from(text)) })

test('PR17 ads.txt: a changed line with what it said, and the fault it now has', () => {
  const before = adsTxt('# list\nads.example, 1, DIRECT\nother.example, 2, RESELLER\n')
  const after = adsTxt('ads.example, 1, DIRECT\nother.example 2, RESELLER\ncontact=x@one.example\n')
  deepEqual(
    lineDifference(before, after).map(({ change, line, means }) => [
      change,
      line,
      means.map((says) => says.split(':')[0]),
    ]),
    [
      ['removed', 1, []],
      ['removed', 3, ['reseller account 2 at other.example']],
      ['added', 2, ['L_COMMA_MISSING']],
      ['added', 3, ['CONTACT is x@one.example']],
    ],
  )
})

test('PR17 robots.txt: groups, rules, delays and issues are named', () => {
  const before = robots('User-agent: *\nDisallow: /a\n')
  const after = robots('User-agent: *\nDisallow: /\nCrawl-delay: 3\nDisalow: /b$\n')
  deepEqual(
    lineDifference(before, after).map(({ change, line, means }) => [
      change,
      line,
      means.map((says) => says.split(':')[0]),
    ]),
    [
      ['removed', 2, ['disallows /a']],
      ['added', 2, ['disallows /']],
      ['added', 3, ['3 s between requests']],
      ['added', 4, ['disallows /b exactly', 'typo']],
    ],
  )
})

const anyText = fc
  .array(fc.constantFrom('a', 'b', 'c', '', 'User-agent: *', '\u001b[2J'), { maxLength: 12 })
  .map((lines) => lines.map((line) => `${line}\n`).join(''))
const bare = (text: string) => ({ text, means: new Map<number, readonly string[]>() })

test('the lines of one version without the removed, with the added, are those of the other', () => {
  fc.assert(
    fc.property(anyText, anyText, (a, b) => {
      const changed = lineDifference(bare(a), bare(b))
      const old = a.split('\n').slice(0, -1)
      const fresh = b.split('\n').slice(0, -1)
      for (const { change, line, text } of changed)
        equal((change === 'removed' ? old : fresh)[line - 1], text)
      const without = (lines: readonly string[], change: string): readonly string[] => {
        const gone = new Set(changed.filter((one) => one.change === change).map(({ line }) => line))
        return lines.filter((_, i) => !gone.has(i + 1))
      }
      deepEqual(without(old, 'removed'), without(fresh, 'added'))
      if (a === b) deepEqual(changed, [])
    }),
  )
})

test('two long files with nothing in common end in bounded work', () => {
  const long = (mark: string): string =>
    Array.from({ length: 6_000 }, (_, i) => `${mark}${i}\n`).join('')
  equal(lineDifference(bare(long('a')), bare(long('b'))).length, 12_000)
})
