/**
 * The auditors as a person or a program meets them: three rehearsed nights, audited by child
 * processes from the ledger alone; then a breach in that ledger, which they must name.
 */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { BREACHES_LISTED_MAX } from '../../src/audit/promise-audit.ts'
import { compose } from '../../src/compose.ts'
import { configOf } from '../../src/config.ts'
import { present } from '../../src/kernel/assert.ts'
import { siteOf } from '../../src/kernel/url.ts'
import { siteStream } from '../../src/ledger/stream.ts'
import { right } from '../support/either.ts'
import { type Ended, programOn } from '../support/program.ts'

const NIGHTS = '3'

type Json = { readonly [key: string]: unknown }
type Shown = Json & { readonly promises: readonly Json[] }

let data: string
before(async () => {
  data = await realpath(await mkdtemp(join(tmpdir(), 'audited-')))
  equal((await crawlLedger('rehearse', '--nights', NIGHTS)).code, 0)
})
after(() => rm(data, { recursive: true, force: true, maxRetries: 5 }))

const crawlLedger = (...args: readonly string[]): Promise<Ended> => programOn(data).run(...args)

/** What is printed by a command that must end with that code. */
const printed = async (code: number, ...args: readonly string[]): Promise<string> => {
  const ended = await crawlLedger(...args)
  equal(ended.code, code, `${args.join(' ')}: ${ended.err}${ended.out.slice(0, 2_000)}`)
  return ended.out
}
const linesOf = (out: string): readonly Json[] =>
  out
    .split('\n')
    .filter((one) => one !== '')
    .map((one) => JSON.parse(one) as Json)

test('three rehearsed nights keep PR1–PR16 and CL1, as the auditor sees them', async () => {
  const text = await printed(0, 'audit', 'promises')
  match(text, /^promise +programme +state +checked +says\n/)
  for (let n = 1; n <= 16; n += 1)
    match(text, new RegExp(`\\nPR${n} +plain-reckoner +kept +\\d+ `), `PR${n}`)
  match(text, /\nno promise was broken in \d+ entries\n$/)
  match(text, /pta-karo: the ledger has no run of that programme: PK1 /)
})

test('--json and --jsonl have the documented shape', async () => {
  const shown = JSON.parse(await printed(0, 'audit', 'promises', '--json')) as Shown
  deepEqual(Object.keys(shown), [
    'position',
    'interrupted',
    'programme',
    'since',
    'until',
    'broken',
    'promises',
  ])
  deepEqual([shown['interrupted'], shown['broken'], shown['since']], [false, 0, null])
  equal(shown.promises.length, 17 + 16 + 28 + 6)
  for (const promise of shown.promises) {
    deepEqual(Object.keys(promise), [
      'promise',
      'programme',
      'says',
      'state',
      'checked',
      'unjudged',
      'broken',
      'breaches',
      'looksAt',
      'why',
    ])
  }
  const lines = linesOf(
    await printed(0, 'audit', 'promises', '--jsonl', '--programme', 'plain-reckoner'),
  )
  deepEqual(
    lines.map(({ promise }) => promise),
    [
      ...Array.from({ length: 17 }, (_, i) => `PR${i + 1}`),
      ...[1, 2, 3, 4, 5, 6].map((n) => `CL${n}`),
    ],
  )
})

test('nothing is missing, and both readers of robots.txt agree where they can be asked', async () => {
  match(
    await printed(0, 'audit', 'completeness'),
    /^\d+ entries, \d+ requests: nothing is missing\n$/,
  )
  const complete = JSON.parse(await printed(0, 'audit', 'completeness', '--json')) as Json
  deepEqual([complete['faults'], complete['first'], complete['open']], [0, null, []])
  for (const reader of ['rfc9309@2', 'robots-parser@3.0.1']) {
    const found = JSON.parse(await printed(0, 'audit', 'robots', '--reader', reader, '--json')) as {
      reader: string
      differences: unknown[]
      totals: { judged: number }
    }
    deepEqual([found.reader, found.differences], [reader, []])
    ok(found.totals.judged > 100)
  }
  equal(await printed(0, 'audit', 'robots', '--reader', 'rfc9309@2', '--jsonl'), '')
  match(
    await printed(0, 'audit', 'robots', '--reader', 'rfc9309@2', '--csv'),
    /^position,at,[a-z_,]+\n$/,
  )
})

test('wrong use ends with 2, in one line', async () => {
  const wrong = await crawlLedger('audit', 'robots', '--reader', 'rfc9309@9')
  equal(wrong.code, 2)
  match(
    wrong.err,
    /^crawl-ledger: --reader takes rfc9309@2 or robots-parser@3\.0\.1, not rfc9309@9\n$/,
  )
  equal((await crawlLedger('audit', 'promises', '--since', 'tomorrow')).code, 2)
  equal((await crawlLedger('audit', 'promises', '--programme', 'No!')).code, 2)
})

test('a request that broke its promises is named by its position, with exit code 1', async () => {
  const opened = await compose(configOf({ data, clock: 'simulated' }, {}))
  const all = async (type: 'RequestSent' | 'RobotsDecided') =>
    right(await opened.ledger.readAll({ after: 0, limit: 10_000, types: [type] })())
  // A homepage that robots.txt disallows, asked all the same in the last night.
  const read = (await all('RobotsDecided')).findLast(
    ({ event }) =>
      event.type === 'RobotsDecided' && event.basis === 'rule' && event.verdict === 'deny',
  )
  const denied = present(read, 'a denied homepage').event
  ok(denied.type === 'RobotsDecided')
  const sent = present(
    (await all('RequestSent')).findLast(
      ({ event }) => event.type === 'RequestSent' && siteOf(event.url) === siteOf(denied.url),
    ),
    'a request to it',
  )
  ok(sent.event.type === 'RequestSent')
  const stream = siteStream(siteOf(denied.url))
  const version = right(await opened.ledger.readStream(stream, 0)()).length
  const { url, purpose } = denied
  const append = (
    expectedVersion: number,
    event: Parameters<typeof opened.ledger.append>[1]['events'][0],
  ) => opened.ledger.append(sent.run, { stream, expectedVersion, events: [event] })()
  const decision = present(
    right(await append(version, { ...denied, verdict: 'allow' })).positions[0],
    'at',
  )
  const event = { ...sent.event, url, target: url, purpose, decision, n: 9_999 }
  const position = present(right(await append(version + 1, event)).positions[0], 'at')
  await opened.close()

  const text = await printed(1, 'audit', 'promises')
  match(text, new RegExp(`\\nPR3\\n {2}${position}  \\S+Z  ${url} was asked although line \\d+ `))
  match(text, /\n\d+ promises were broken in \d+ entries\n$/)
  const shown = JSON.parse(await printed(1, 'audit', 'promises', '--json')) as Shown
  const pr3 = present(
    shown.promises.find(({ promise }) => promise === 'PR3'),
    'PR3',
  )
  deepEqual([pr3['state'], pr3['broken']], ['broken', 1])
  ok(Array.isArray(pr3['breaches']) && pr3['breaches'].length <= BREACHES_LISTED_MAX)

  match(await printed(1, 'audit', 'completeness'), /request-number/)
  const [difference] = linesOf(
    await printed(1, 'audit', 'robots', '--reader', 'rfc9309@2', '--jsonl'),
  )
  deepEqual([difference?.['position'], difference?.['cause']], [position, 'misread-file'])
  match(
    await printed(1, 'audit', 'robots', '--reader', 'rfc9309@2'),
    /sent, decided allow by rfc9309@2/,
  )
  match(
    await printed(1, 'audit', 'robots', '--reader', 'rfc9309@2', '--csv'),
    new RegExp(`\\n${position},`),
  )
  const before = await printed(0, 'audit', 'promises', '--until', '2031-01-02')
  match(before, /no promise was broken/)
})

test('a kept file that does not fit its commitment ends an audit with 3', async () => {
  const bodies = join(data, 'bodies')
  const names = await readdir(bodies, { recursive: true })
  for (const name of names.filter((one) => /[0-9a-f]{64}$/.test(one)))
    await writeFile(join(bodies, name), 'altered')
  const ended = await crawlLedger('audit', 'promises')
  equal(ended.code, 3)
  match(ended.err, /integrity breach: the kept body/)
})
