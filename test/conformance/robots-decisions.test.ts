/**
 * Another reader in the place of the one that decided: `rebuild robots-decisions --diff` lists exactly
 * the decisions that differ. What differs is found here by asking both readers about each file.
 */
import { deepEqual, ok } from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { robotsDecisions } from '../../projections/index.ts'
import type { Json } from '../../src/kernel/canonical-json.ts'
import { catchUp } from '../../src/shell/projecting/catch-up.ts'
import { crawlDelayMs, decideRobots } from '../../src/robots/decide.ts'
import { readRobots } from '../../src/robots/read.ts'
import { secondReader } from '../../src/robots/second-reader.ts'
import { right } from '../support/either.ts'
import { History, url } from '../support/history.ts'
import { portsOf } from '../support/projecting.ts'
import { changesOf } from '../support/reader-fix.ts'

const POLICY = readFileSync(
  new URL('../../src/programmes/plain-reckoner/policy.json', import.meta.url),
  'utf8',
)
const TOKEN = 'PlainReckonerBot'
const OTHER = 'robots-parser@3.0.1'

type File = { readonly host: string; readonly bytes: Buffer }

/** What the two say about `/` where they do not agree, straight from the readers. */
const differing = ({ host, bytes }: File): readonly string[] => {
  const root = url(`https://${host}/`)
  const file = readRobots(bytes)
  const ours = {
    allowed: decideRobots(file, TOKEN, root).allowed,
    delay: crawlDelayMs(file, TOKEN),
  }
  const theirs = secondReader.answer(bytes, TOKEN, root)
  const key = `https://${host} plain-reckoner`
  if (theirs.tag === 'Declined')
    return [
      `${key} because rules ${theirs.because}`,
      `${key} decision ${word(ours.allowed)} undecided`,
      ...(ours.delay === null ? [] : [`${key} crawl_delay_ms ${ours.delay} null`]),
    ]
  return [
    ...(ours.delay === theirs.crawlDelayMs
      ? []
      : [`${key} crawl_delay_ms ${ours.delay} ${theirs.crawlDelayMs}`]),
    ...(ours.allowed === theirs.allowed
      ? []
      : [`${key} decision ${word(ours.allowed)} ${word(theirs.allowed)}`]),
  ]
}

const said = (cell: Json): string => (typeof cell === 'string' ? cell : JSON.stringify(cell))

const word = (allowed: boolean): string => (allowed ? 'allow' : 'deny')

/** Each file read on a night of its own, in the order given. */
const listedFor = async (nights: readonly (readonly File[])[]): Promise<readonly string[]> => {
  const history = new History()
  history.adoptPolicy(POLICY)
  for (const files of nights)
    for (const { host, bytes } of files) history.robotsRead(host, 'rules', null, bytes)
  const ports = portsOf(history)
  right(await catchUp(ports)(robotsDecisions)())
  const { changes } = await changesOf(ports, robotsDecisions, {}, OTHER)
  return changes
    .map(({ key, column, before, after }) => `${key} ${column} ${said(before)} ${said(after)}`)
    .sort()
}

/** Invented files, one for each kind of thing that the two read otherwise (robots/repair.ts). */
const KINDS: readonly (readonly [kind: string, text: string])[] = [
  [
    'bytes',
    `\u00ff\u00fe${Buffer.from('User-agent: *\nDisallow: /', 'utf16le').toString('latin1')}`,
  ],
  ['markup', '<html><pre>User-agent: *\nDisallow: /</pre>'],
  ['white-space', 'User-agent: *\n\u00c2\u00a0Disallow: /\n'],
  ['cut-lines', 'User-agent: *\nDisallow: /\0y\n'],
  ['keys', 'User-agent: *\nDisalow: /\n'],
  ['colon', 'User-agent *\nDisallow /\n'],
  ['one-line', 'User-agent: * Disallow: /\n'],
  ['tokens', `User-agent: ${TOKEN} Extra\nDisallow: /\n`],
  ['other-records', `User-agent: ${TOKEN}\nCrawl-delay: 3\nUser-agent: SomeBot\nDisallow: /\n`],
  ['empty-group', `User-agent: *\nDisallow: /\nUser-agent: ${TOKEN}\n`],
  ['delay', 'User-agent: *\nCrawl-delay: 9\nCrawl-delay: 2\nDisallow: /x\n'],
  ['declined', `User-agent: *\nDisallow: /${'x'.repeat(70_000)}\nDisallow: /\n`],
]
const AGREED: readonly (readonly [kind: string, text: string])[] = [
  ['none', ''],
  ['deny', 'User-agent: *\nDisallow: /\n'],
  ['allow', `User-agent: ${TOKEN}\nAllow: /\n\nUser-agent: *\nDisallow: /\n`],
  ['same-delay', 'User-agent: *\nCrawl-delay: 2\nDisallow: /x\n'],
]

const fileOf = ([kind, text]: readonly [string, string]): File => ({
  host: `${kind}.example`,
  bytes: Buffer.from(text, 'latin1'),
})

test('RC27 robots-parser in our place: every decision that differs is listed, and no other', async () => {
  const files = [...KINDS, ...AGREED].map(fileOf)
  const expected = files.flatMap(differing).sort()
  deepEqual(await listedFor([files]), expected)
  for (const one of AGREED.map(fileOf)) deepEqual(differing(one), [])
})

test('RC27 each of the invented files does make the readers differ', () => {
  const alike = KINDS.filter((one) => differing(fileOf(one)).length === 0).map(([kind]) => kind)
  deepEqual(alike, [])
})

const SERIES = fileURLToPath(new URL('../../../shared/corpus/robots/history', import.meta.url))

test('RC27 the dated series, night by night: exactly the decisions that differ', async (t) => {
  if (!existsSync(SERIES)) return t.skip('no series beside the project')
  const hosts = readdirSync(SERIES)
  const dates = [...new Set(hosts.flatMap((host) => readdirSync(`${SERIES}/${host}`)))].sort()
  ok(dates.length > 3)
  const latest = new Map<string, File>()
  const nights = dates.map((date) =>
    hosts
      .filter((host) => existsSync(`${SERIES}/${host}/${date}`))
      .map((host) => ({ host, bytes: readFileSync(`${SERIES}/${host}/${date}`) })),
  )
  // The table holds the newest reading; so it is after every night.
  for (const [i, files] of nights.entries()) {
    for (const file of files) latest.set(file.host, file)
    const expected = [...latest.values()].flatMap(differing).sort()
    deepEqual(await listedFor(nights.slice(0, i + 1)), expected, dates[i])
  }
})
