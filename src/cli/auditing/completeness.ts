/** How an audit of completeness looks, to people and to programs. */
import type { Completeness, FaultRule } from '../../audit/completeness.ts'
import type { RunState } from '../../audit/run-books.ts'
import { formatInstant } from '../../kernel/instant.ts'
import type { Reach } from '../../shell/auditing/audit.ts'
import { safe, table } from '../print.ts'

type Found = Reach & { readonly found: Completeness }

/** What the store itself promises: if that does not hold, what is stored is not what was written. */
const INTEGRITY: ReadonlySet<FaultRule> = new Set([
  'position',
  'stream-version',
  'time',
  'log-opened',
])

export const completenessExit = ({ faults, list }: Completeness): 0 | 1 | 3 => {
  if (faults === 0) return 0
  return list.some(({ rule }) => INTEGRITY.has(rule)) ? 3 : 1
}

export const completenessValue = ({ position, interrupted, found }: Found) => ({
  position,
  interrupted,
  ...found,
  first: found.list[0]?.position ?? null,
  runs: found.runs.map((run) => ({ ...run, startedAt: formatInstant(run.startedAt) })),
  open: found.open.map((one) => ({ ...one, at: formatInstant(one.at) })),
})

const FAULTS_SHOWN = 50

export const completenessText = ({ interrupted, found }: Found, columns: number): string => {
  const { entries, requests, faults, list, runs, open } = found
  const more = faults - Math.min(faults, FAULTS_SHOWN)
  const counted = `${entries} entries, ${requests} requests${interrupted ? ', then stopped' : ''}`
  const verdict =
    faults === 0
      ? 'nothing is missing'
      : `${faults} faults, the first at position ${list[0]?.position}`
  return [
    ...(faults === 0 ? [] : [faultTable(list.slice(0, FAULTS_SHOWN), columns)]),
    ...(more > 0 ? [`and ${more} more (--json)\n`] : []),
    ...runs.map((run) => `${safe(explained(run))}\n`),
    ...open.map(
      ({ position, at, url }) =>
        safe(`open: the request at position ${position}, ${url}, sent ${formatInstant(at)}`) + '\n',
    ),
    `${counted}: ${verdict}\n`,
  ].join('')
}

const faultTable = (list: Completeness['list'], columns: number): string =>
  table(
    list,
    [
      { title: 'position', of: ({ position }) => String(position), align: 'right' },
      { title: 'rule', of: ({ rule }) => rule },
      { title: 'what', of: ({ says }) => says },
    ],
    Math.max(columns, 140),
  )

const explained = ({ run, programme, state, requests, open }: RunState): string => {
  const did = `the run ${run} of ${programme} (${requests} requests, ${open} open)`
  return state === 'abandoned'
    ? `${did} died, and a later run closed it`
    : `${did} has no end: it is under way, or died and waits for the next run on its machine`
}
