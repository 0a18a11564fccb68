/** A dated series of robots.txt as nights: what is found, and what is not, against another reader. */
import { textIn } from '../../projections/finding.ts'
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { filesOf, type Night, replay } from '../../scripts/corpus/robots-history.ts'
import { CRAWLERS } from '../../src/readers/crawler-access/crawlers.ts'
import { secondReader } from '../../src/robots/second-reader.ts'
import { url } from '../support/history.ts'

const FOLDER = join(import.meta.dirname, '../../../shared/corpus/robots/history')
const skip = existsSync(FOLDER) ? false : 'no shared corpus beside this checkout'

const found = (nights: readonly Night[]): unknown[] =>
  nights.flatMap(({ host, night, findings = [] }) =>
    findings.map((row) => [host, night, row['change']]),
  )

test('PR17 of a long series every night is told', async () => {
  const bodies = ['User-agent: *\nDisallow: /\n', 'User-agent: *\nDisallow:\n']
  const files = Array.from({ length: 500 }, (_, i) => ({
    host: 'a.example',
    night: new Date(Date.UTC(2025, 0, 1 + i)).toISOString().slice(0, 10),
    text: bodies[i % 2] ?? '',
  }))
  const [, ...nights] = await replay(files)
  const counts = new Set(nights.map(({ findings = [] }) => findings.length))
  const [each = 0, ...others] = counts
  deepEqual(others, [])
  ok(each * nights.length > 10_000, `${each} each`)
})

test('PR17 a series written for this: each night tells what is new on it, and nothing twice', async () => {
  const open = 'User-agent: *\nDisallow: /private\n'
  const series = [
    ['2026-01-01', open],
    ['2026-02-01', `${open}# nothing but a remark\n`],
    ['2026-03-01', `${open}\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n`],
    ['2026-04-01', `User-agent: CCBot\nDisallow: /\n\n${open}`],
    ['2026-05-01', `User-agent: CCBot\nDisallow: /\nAllow: /$\n\n${open}`],
  ] as const
  const nights = await replay(series.map(([night, text]) => ({ host: 'a.example', night, text })))
  deepEqual(found(nights), [
    ['a.example', '2026-03-01', 'blocks GPTBot (ai)'],
    ['a.example', '2026-03-01', 'blocks CCBot (ai)'],
    ['a.example', '2026-04-01', 'unblocks GPTBot (ai)'],
    ['a.example', '2026-05-01', 'unblocks CCBot (ai)'],
  ])
  deepEqual(
    nights.map(({ blocked }) => blocked),
    [[], [], ['GPTBot', 'CCBot'], ['CCBot'], []],
  )
})

/**
 * Of 22 files only one changes a crawler's way to the homepage: daytonohio.gov took the groups of
 * SemrushBot and SemrushBot-SA out, lines 5 to 8, on the night of 2022-06-04; the group for everybody,
 * which then counts, leaves the homepage open. All other changes are about paths below the root,
 * comments, Crawl-delay and sitemaps.
 */
test('PR17 the corpus series: the one finding there is, and no other', { skip }, async () => {
  const nights = await replay(filesOf(FOLDER))
  equal(nights.length, 22)
  deepEqual(found(nights), [['daytonohio.gov', '2022-06-04', 'unblocks SemrushBot (links)']])
  const says = nights.flatMap(({ findings = [] }) => findings.map((row) => textIn(row, 'says')))
  match(says.join(''), /lets SemrushBot read the homepage again: line 6, “Disallow: \/”, kept/)
})

test(
  'PR17 the corpus series: another reader of robots.txt sees the same crawlers shut out',
  { skip },
  async () => {
    for (const { host, text, blocked } of await replay(filesOf(FOLDER)))
      for (const { token, ignoresEverybody, alsoNamed } of CRAWLERS) {
        // What the vendors say of their own crawlers is in no reader's rules.
        if (ignoresEverybody === true || alsoNamed !== undefined) continue
        const answer = secondReader.answer(Buffer.from(text), token, url(`https://${host}/`))
        equal(
          answer.tag === 'Decided' && !answer.allowed,
          blocked.includes(token),
          `${host} ${token}`,
        )
      }
  },
)
