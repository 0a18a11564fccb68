/** Compares what a night stored with the files that were served: every difference is a problem. */
import type { Site } from '../../src/kernel/site.ts'
import { type AdsTxtReading, readAdsTxt } from '../../src/readers/ads-txt/read.ts'
import { publishersOf } from '../../src/readers/sellers-json/publishers.ts'
import { readSellersJson } from '../../src/readers/sellers-json/read.ts'
import type { Corpus } from './load.ts'

type StoredRow = { readonly [column: string]: unknown }

export type NightResult = {
  readonly exitCode: number
  readonly asked: readonly string[]
  readonly adsTxt: readonly StoredRow[]
  readonly robots: readonly StoredRow[]
  readonly sellers: readonly StoredRow[]
  readonly publishers: readonly StoredRow[]
}

/** Rows as `state --jsonl` printed them. */
export const rowsOf = (jsonl: string): readonly StoredRow[] =>
  jsonl
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as StoredRow)

/** States of an ads.txt that say by themselves why there is nothing more. */
const EXPLAINED = new Set([
  'ok',
  'no_records',
  'none_authorised',
  'not_adstxt',
  'none',
  'keep_last',
  'unknown',
])

export const checkNight = (corpus: Corpus, night: NightResult): readonly string[] => [
  ...(night.exitCode === 0 ? [] : [`the run ended with exit code ${night.exitCode}`]),
  ...checkPublishers(corpus, night),
  ...checkAdsTxt(corpus, night),
  ...checkRobots(corpus, night),
  ...checkSellers(corpus, night),
  ...askedTwice(night.asked),
]

const text = (cell: unknown): string =>
  typeof cell === 'string' ? cell : (JSON.stringify(cell) ?? 'none')

const bySite = (rows: readonly StoredRow[]): ReadonlyMap<string, StoredRow> =>
  new Map(rows.map((row) => [text(row['site']), row]))

/** Every site that any list names is on the list, and has been read to an explained state. */
const checkPublishers = (corpus: Corpus, night: NightResult): readonly string[] => {
  const listed = bySite(night.publishers)
  const states = bySite(night.adsTxt)
  const wanted = new Set<Site>([...corpus.robots.keys(), ...corpus.adsTxt.keys()])
  for (const { bytes } of corpus.sellers) {
    for (const { site } of publishersOf(readSellersJson(bytes)).publishers) wanted.add(site)
  }
  console.log(`${wanted.size} sites named by the lists`)
  return [...wanted].flatMap((site) => {
    if (!listed.has(site)) return [`${site} is not on the publisher list`]
    const state = states.get(site)?.['state']
    if (state === undefined) return [`${site} has no ads.txt state`]
    return EXPLAINED.has(text(state)) ? [] : [`${site} has the unexplained state ${text(state)}`]
  })
}

/** The stored reading is the reading of the very bytes. */
const checkAdsTxt = (corpus: Corpus, night: NightResult): readonly string[] => {
  const states = bySite(night.adsTxt)
  const count = new Map<string, number>()
  for (const site of corpus.adsTxt.keys()) {
    const state = text(states.get(site)?.['state'])
    count.set(state, (count.get(state) ?? 0) + 1)
  }
  console.log(
    `ads.txt files by state: ${[...count].map(([state, n]) => `${state} ${n}`).join(', ')}`,
  )
  return [...corpus.adsTxt].flatMap(([site, { name, bytes }]) =>
    adsTxtProblems(readAdsTxt(bytes, { domain: site }), states.get(site) ?? {}).map(
      (problem) => `${name}: ${problem}`,
    ),
  )
}

/** An answer the network gave wrongly keeps the last good state; there is none before the first. */
const NOT_TAKEN = new Set(['keep_last', 'unknown'])

const adsTxtProblems = (expected: AdsTxtReading, row: StoredRow): readonly string[] => {
  const state = text(row['state'])
  const faults = Array.isArray(row['fault_list']) ? row['fault_list'].length : -1
  const problems: string[] = []
  if (state !== expected.state && !NOT_TAKEN.has(state))
    problems.push(`state ${state}, the reader says ${expected.state}`)
  if (faults < expected.faults.length)
    problems.push(`${faults} faults stored of ${expected.faults.length}`)
  if (state === 'ok' && row['records'] !== expected.records.length)
    problems.push(`${text(row['records'])} records stored of ${expected.records.length}`)
  return problems
}

const checkRobots = (corpus: Corpus, night: NightResult): readonly string[] => {
  const states = new Map(night.robots.map((row) => [text(row['origin']), row]))
  return [...corpus.robots].flatMap(([site, { name }]) => {
    const access = states.get(`https://${site}`)?.['access']
    return access === 'rules' ? [] : [`${name}: access ${text(access)}`]
  })
}

const checkSellers = (corpus: Corpus, night: NightResult): readonly string[] => {
  const rows = night.sellers.map((row) => JSON.stringify(row))
  return corpus.sellers.flatMap(({ name, host }) =>
    rows.some((row) => row.includes(host)) ? [] : [`${name}: no seller state`],
  )
}

/** PR5, from outside. */
const askedTwice = (asked: readonly string[]): readonly string[] => {
  const seen = new Set<string>()
  return asked.flatMap((line) => {
    if (seen.has(line)) return [`asked twice: ${line}`]
    seen.add(line)
    return []
  })
}
