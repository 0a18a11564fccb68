/** Measuring two ways of one thing against each other on a machine that does other things too. */

/** Things done a second. */
export type Rate = number

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const [low = Number.NaN, high = Number.NaN] = [
    sorted[sorted.length % 2 === 0 ? middle - 1 : middle],
    sorted[middle],
  ]
  return (low + high) / 2
}

/** Milliseconds by the clock, and of processors in this program. */
export type Took = { readonly wall: number; readonly cpu: number }

export const timed = async (task: () => Promise<unknown>): Promise<Took> => {
  const [from, used] = [performance.now(), process.cpuUsage()]
  await task()
  const { user, system } = process.cpuUsage(used)
  return { wall: performance.now() - from, cpu: (user + system) / 1_000 }
}

export type Way = {
  readonly name: string
  /** Makes ready for `n` things, and gives the function that does them, which is what is measured. */
  readonly ready: (n: number) => () => Promise<void>
}

export type Measured = { readonly name: string; readonly perSecond: Rate }

export type Comparison = {
  readonly bare: Measured
  readonly ours: Measured
  /** Median over the rounds of ours ÷ bare, each of the two measured right after the other. */
  readonly ratio: number
  readonly rounds: number
}

/** The just-in-time compiler, the caches and the statistics of the database have settled by then. */
const WARM_UP_ROUNDS = 4

const rateOf = async (way: Way, n: number): Promise<Rate> => {
  const run = way.ready(n)
  const from = performance.now()
  await run()
  return (n / (performance.now() - from)) * 1_000
}

/**
 * Runs both ways in turns, `rounds` times `n` things each, after some rounds that do not count. Who
 * goes first changes every round, so that a load that grows or shrinks favours neither.
 */
export const compare = async (
  bare: Way,
  ours: Way,
  { n, rounds }: { readonly n: number; readonly rounds: number },
): Promise<Comparison> => {
  const bareRates: Rate[] = []
  const ourRates: Rate[] = []
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    const first = round % 2 === 0 ? bare : ours
    const one = await rateOf(first, n)
    const other = await rateOf(first === bare ? ours : bare, n)
    if (round < 0) continue
    bareRates.push(first === bare ? one : other)
    ourRates.push(first === bare ? other : one)
  }
  const ratios = ourRates.map((rate, i) => rate / (bareRates[i] ?? Number.NaN))
  return {
    bare: { name: bare.name, perSecond: median(bareRates) },
    ours: { name: ours.name, perSecond: median(ourRates) },
    ratio: median(ratios),
    rounds,
  }
}

const perSecond = (rate: Rate): string => `${Math.round(rate).toLocaleString('en')}/s`

/** Two lines for people: what was compared, and whether the goal is met. */
export const describe = ({ bare, ours, ratio }: Comparison, goal: number): string =>
  [
    `  ${bare.name}: ${perSecond(bare.perSecond)}`,
    `  ${ours.name}: ${perSecond(ours.perSecond)}`,
    `  ratio ${ratio.toFixed(2)}, goal ${goal.toFixed(2)}: ${ratio >= goal ? 'met' : 'NOT met'}`,
  ].join('\n')
