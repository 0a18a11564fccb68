/**
 * The worst that a robots.txt of 500 KiB can cost with an address of 8 KiB: time of reading and one
 * decision, and memory above an idle process, each hostile file in a fresh process.
 *
 *     node scripts/bench/robots.ts [--rounds N] [--search SECONDS [--seed N]] [--json]
 *
 * Time is also given as a ratio to one pass over the same bytes, since seconds depend on the
 * machine. `--search` looks for worse files by changing bad ones at random. Ends with code 1 if a
 * median is over its goal.
 */
import { execFile } from 'node:child_process'
import { parseArgs, promisify } from 'node:util'
import { parseHttpUrl, URL_LENGTH_MAX } from '../../src/kernel/url.ts'
import { decideRobots } from '../../src/robots/decide.ts'
import { FILE_OCTETS_MAX } from '../../src/robots/octet-file.ts'
import { readRobots } from '../../src/robots/read.ts'
import { right } from '../../test/support/either.ts'
import {
  HOSTILE,
  hostileFile,
  hostilePath,
  type Recipe,
} from '../../test/support/hostile-robots.ts'
import { median } from './measure.ts'

const GOALS = { milliseconds: 300, megabytes: 50 }
/** Decisions taken after the first: what they leave behind counts as memory, too. */
const MORE_DECISIONS = 6
const ORIGIN = 'https://a.example'

type Cost = {
  readonly readMs: number
  readonly decideMs: number
  /** Peak of the process above what it held idle, after one decision and after more. */
  readonly megabytes: number
  readonly megabytesAfterMore: number
  readonly passMs: number
}

const addressOf = (recipe: Recipe) =>
  right(parseHttpUrl(ORIGIN + hostilePath(recipe, URL_LENGTH_MAX - ORIGIN.length)))

/** Quickest of five, so that it is the machine's speed and not the compiler's. */
const passOver = (bytes: Buffer): number =>
  Math.min(
    ...Array.from({ length: 5 }, () => {
      const from = performance.now()
      let sum = 0
      for (const octet of bytes) sum = (sum + octet) | 0
      return sum === -1 ? 0 : performance.now() - from
    }),
  )

const peakBytes = (): number => process.resourceUsage().maxRSS * 1_024

/** In this process, once. */
const costOf = (recipe: Recipe): Cost => {
  const bytes = hostileFile(recipe, FILE_OCTETS_MAX)
  const url = addressOf(recipe)
  // The code is loaded and has run; the file is at hand.
  decideRobots(readRobots(Buffer.from('User-agent: *\nDisallow: /a*b\n')), 'OurBot', url)
  globalThis.gc?.()
  const idle = process.memoryUsage.rss()
  const begin = performance.now()
  const file = readRobots(bytes)
  const read = performance.now()
  decideRobots(file, 'OurBot', url)
  const decided = performance.now()
  const peak = peakBytes()
  for (let n = 0; n < MORE_DECISIONS; n += 1) decideRobots(file, 'OurBot', url)
  return {
    readMs: read - begin,
    decideMs: decided - read,
    megabytes: (peak - idle) / 1e6,
    megabytesAfterMore: (peakBytes() - idle) / 1e6,
    passMs: passOver(bytes),
  }
}

/** The same in a process of its own. */
const freshCostOf = async (recipe: Recipe): Promise<Cost> => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    import.meta.filename,
    '--one',
    JSON.stringify(recipe),
  ])
  // Written by this very script.
  return JSON.parse(stdout) as Cost
}

type Row = {
  readonly name: string
  readonly totalMs: number
  readonly quickestMs: number
  readonly slowestMs: number
} & Cost

const medianOf = async (name: string, recipe: Recipe, rounds: number): Promise<Row> => {
  const costs: Cost[] = []
  for (let round = 0; round < rounds; round += 1) costs.push(await freshCostOf(recipe))
  const of = (pick: (cost: Cost) => number): number => median(costs.map(pick))
  const total = ({ readMs, decideMs }: Cost): number => readMs + decideMs
  return {
    name,
    totalMs: of(total),
    quickestMs: Math.min(...costs.map(total)),
    slowestMs: Math.max(...costs.map(total)),
    readMs: of(({ readMs }) => readMs),
    decideMs: of(({ decideMs }) => decideMs),
    megabytes: of(({ megabytes }) => megabytes),
    megabytesAfterMore: of(({ megabytesAfterMore }) => megabytesAfterMore),
    passMs: of(({ passMs }) => passMs),
  }
}

const shown = (row: Row): string => {
  const {
    name,
    totalMs,
    quickestMs,
    slowestMs,
    readMs,
    decideMs,
    megabytes,
    megabytesAfterMore,
    passMs,
  } = row
  const ms = (value: number): string => value.toFixed(0).padStart(5)
  return `${name.padEnd(44)}${ms(totalMs)} ms (read${ms(readMs)}, decide${ms(decideMs)}; from${ms(quickestMs)} to${ms(slowestMs)})${(totalMs / passMs).toFixed(0).padStart(6)} × a pass${megabytes.toFixed(1).padStart(7)} MB,${megabytesAfterMore.toFixed(1).padStart(6)} MB after ${1 + MORE_DECISIONS}\n`
}

// --- looking for worse ------------------------------------------------------------------------

const CHUNKS = [
  ...Array.from('*abx:# /\r$№\u00e9'),
  ...'*a *b *ab *aab ab %61 %C3 <b> User-agent:*'.split(' '),
  ...['Allow:', 'allow:*', 'Disallow: /', 'Crawl-delay:1', 'Sitemap:/', 'x'].map(
    (key) => `\n${key}`,
  ),
  ...['*a', 'a', '*ab'].map((piece) => piece.repeat(200)),
]

/** Numbers from 0 to 1 that one seed repeats. */
const chances = (seed: number) => {
  let state = seed | 0
  return (): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
}

const changed = (recipe: Recipe, random: () => number): Recipe => {
  const at = (text: string): number => Math.floor(random() * (text.length + 1))
  const one = (): string => CHUNKS[Math.floor(random() * CHUNKS.length)] ?? ''
  const splice = (text: string, put: string): string => {
    const from = at(text)
    const gone = random() < 0.5 ? 0 : Math.floor(random() * 8)
    return text.slice(0, from) + put + text.slice(from + gone)
  }
  if (random() < 0.2) {
    const address = splice(recipe.address, random() < 0.5 ? 'a' : 'b').slice(0, 64)
    return { ...recipe, address: address === '' ? 'a' : address }
  }
  const unit = splice(recipe.unit, random() < 0.3 ? '' : one()).slice(0, 16_000)
  return { ...recipe, unit: unit === '' ? 'a' : unit }
}

/** In this process, which is warm: the quickest of three, so that a busy machine deceives less. */
const warmMs = (recipe: Recipe): number =>
  Math.min(
    ...Array.from({ length: 3 }, () => {
      const { readMs, decideMs } = costOf(recipe)
      return readMs + decideMs
    }),
  )

const worstFound = (
  seconds: number,
  seed: number,
): { tried: number; recipes: readonly Recipe[] } => {
  const random = chances(seed)
  const until = performance.now() + seconds * 1_000
  let tried = 0
  let pool = Object.values(HOSTILE).map((recipe) => ({ recipe, ms: warmMs(recipe) }))
  while (performance.now() < until) {
    pool = pool.toSorted((a, b) => b.ms - a.ms).slice(0, 12)
    const parent = pool[Math.floor(random() * pool.length)]
    if (parent === undefined) break
    let recipe = changed(parent.recipe, random)
    while (random() < 0.5) recipe = changed(recipe, random)
    tried += 1
    pool.push({ recipe, ms: warmMs(recipe) })
  }
  const worst = pool.toSorted((a, b) => b.ms - a.ms).slice(0, 3)
  return { tried, recipes: worst.map(({ recipe }) => recipe) }
}

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      search: { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      one: { type: 'string' },
    },
  })
  if (values.one !== undefined) {
    // Given by `freshCostOf`.
    process.stdout.write(JSON.stringify(costOf(JSON.parse(values.one) as Recipe)))
    return
  }
  const rounds = Number(values.rounds)
  const rows: Row[] = []
  const take = async (name: string, recipe: Recipe): Promise<void> => {
    const row = await medianOf(name, recipe, rounds)
    rows.push(row)
    if (!values.json) process.stdout.write(shown(row))
  }
  for (const [name, recipe] of Object.entries(HOSTILE)) await take(name, recipe)
  if (Number(values.search) > 0) {
    const { tried, recipes } = worstFound(Number(values.search), Number(values.seed))
    for (const [i, recipe] of recipes.entries()) {
      await take(`found ${i + 1} of ${tried}`, recipe)
      if (!values.json) process.stdout.write(`  ${JSON.stringify(recipe).slice(0, 300)}\n`)
    }
  }
  const worst = (pick: (row: Row) => number): number => Math.max(...rows.map(pick))
  const ms = worst(({ totalMs }) => totalMs)
  const megabytes = worst((row) => row.megabytesAfterMore)
  if (values.json)
    process.stdout.write(`${JSON.stringify({ goals: GOALS, ms, megabytes, rows }, null, 2)}\n`)
  else
    process.stdout.write(
      `worst: ${ms.toFixed(0)} ms of ${GOALS.milliseconds}, ${megabytes.toFixed(1)} MB of ${GOALS.megabytes}\n`,
    )
  if (ms > GOALS.milliseconds || megabytes > GOALS.megabytes) process.exitCode = 1
}

await main()
