/** How an audit of the promises looks, to people and to programs. */
import type { PromiseResult } from '../../audit/promise-audit.ts'
import { formatInstant, type Instant } from '../../kernel/instant.ts'
import type { AuditWindow, Reach } from '../../shell/auditing/audit.ts'
import { safe, table } from '../print.ts'

type Found = Reach & { readonly results: readonly PromiseResult[] }

const timeOrNull = (moment: Instant | undefined): string | null =>
  moment === undefined ? null : formatInstant(moment)

export const promiseValue = (result: PromiseResult) => ({
  ...result,
  breaches: result.breaches.map((breach) => ({ ...breach, at: formatInstant(breach.at) })),
})

export const promisesValue = (
  { position, interrupted, results }: Found,
  { programme, since, until }: AuditWindow,
) => ({
  position,
  interrupted,
  programme: programme ?? null,
  since: timeOrNull(since),
  until: timeOrNull(until),
  broken: brokenOf(results),
  promises: results.map(promiseValue),
})

const brokenOf = (results: readonly PromiseResult[]): number =>
  results.filter(({ state }) => state === 'broken').length

const BREACHES_SHOWN = 20

export const promisesText = (
  { position, interrupted, results }: Found,
  columns: number,
): string => {
  const judged = results.filter(({ state }) => state !== 'not-applicable')
  const broken = brokenOf(results)
  const verdict = broken === 0 ? 'no promise was broken' : `${broken} promises were broken`
  return [
    table(
      judged,
      [
        { title: 'promise', of: ({ promise }) => promise },
        { title: 'programme', of: ({ programme }) => programme ?? 'the ledger' },
        { title: 'state', of: ({ state }) => state },
        { title: 'checked', of: checkedText, align: 'right' },
        { title: 'says', of: ({ says }) => says },
      ],
      columns,
    ),
    ...judged.flatMap(breachLines),
    ...notApplicable(results),
    `\n${verdict} in ${position} entries${interrupted ? ', then stopped' : ''}\n`,
  ].join('')
}

const checkedText = ({ checked, unjudged }: PromiseResult): string =>
  unjudged === 0 ? String(checked) : `${checked} (${unjudged} not)`

const breachLines = ({ promise, broken, breaches }: PromiseResult): readonly string[] => {
  if (broken === 0) return []
  const shown = breaches
    .slice(0, BREACHES_SHOWN)
    .map(({ position, at, says }) => `  ${position}  ${formatInstant(at)}  ${safe(says)}\n`)
  const more = broken - shown.length
  return [`\n${promise}\n`, ...shown, ...(more > 0 ? [`  and ${more} more (--json)\n`] : [])]
}

/** Promises without a judgement, those of one reason in one line. */
const notApplicable = (results: readonly PromiseResult[]): readonly string[] => {
  const idle = results.filter(({ state }) => state === 'not-applicable')
  const byReason = Map.groupBy(idle, ({ programme, why }) => `${programme ?? 'the ledger'}: ${why}`)
  const lines = [...byReason].map(
    ([reason, of]) => `  ${safe(reason)}: ${of.map(({ promise }) => promise).join(' ')}\n`,
  )
  return lines.length === 0 ? [] : ['\nnot applicable\n', ...lines]
}
