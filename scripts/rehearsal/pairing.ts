import type { AccessLine } from './access-log.ts'
import { type Difference, difference } from './difference.ts'

/** One request as the ledger has it. Moments in milliseconds since 1970. */
export type LedgerRequest = {
  readonly position: number
  /** The time of `RequestSent`, which was durable before the first byte. */
  readonly sentAt: number
  /** The time of the closing event; null if there is none. */
  readonly closedAt: number | null
  readonly outcome: 'response' | 'failed' | 'abandoned'
  readonly url: string
  readonly subject: string
  readonly purpose: string
  readonly status: number | null
}

/** A request of the ledger with the line of the access log that is the same request, if any. */
export type Exchange = { readonly request: LedgerRequest; readonly line: AccessLine | undefined }

export type Pairing = {
  /** In the order of the requests given. */
  readonly exchanges: readonly Exchange[]
  /** Lines of the log that the ledger does not have, or only for later. */
  readonly unexplained: readonly Difference[]
}

const addressSeen = ({ scheme, host, path }: AccessLine): string => `${scheme}://${host}${path}`

const addressAsked = ({ url }: LedgerRequest): string => {
  const { protocol, hostname, pathname, search } = new URL(url)
  return `${protocol}//${hostname}${pathname}${search}`
}

/**
 * Pairs each line, in the order of arrival, with a request for the same address that was under way
 * when it arrived: one with the same status if there is one, else the first that is left. A line
 * that finds none is paired with a later request that no line explains: it came too early.
 */
export const pairUp = (log: readonly AccessLine[], requests: readonly LedgerRequest[]): Pairing => {
  const left = Map.groupBy(requests, addressAsked)
  const lineOf = new Map<LedgerRequest, AccessLine>()
  const pair = (line: AccessLine, candidates: readonly LedgerRequest[]): boolean => {
    const request = candidates.find(({ status }) => status === line.status) ?? candidates[0]
    if (request === undefined) return false
    lineOf.set(request, line)
    const open = left.get(addressSeen(line)) ?? []
    open.splice(open.indexOf(request), 1)
    return true
  }
  const candidatesFor = (line: AccessLine): readonly LedgerRequest[] =>
    left.get(addressSeen(line)) ?? []
  const unpaired = log.filter(
    (line) =>
      !pair(
        line,
        candidatesFor(line).filter((request) => underWay(request, line)),
      ),
  )
  const unexplained = unpaired.map((line) => {
    const later = candidatesFor(line).filter(({ sentAt }) => sentAt > line.at)
    return pair(line, later) ? early(line) : extra(line)
  })
  return {
    exchanges: requests.map((request) => ({ request, line: lineOf.get(request) })),
    unexplained,
  }
}

const underWay = ({ sentAt, closedAt }: LedgerRequest, { at }: AccessLine): boolean =>
  sentAt <= at && (closedAt === null || at <= closedAt)

const seen = (line: AccessLine): string =>
  `${line.method} ${addressSeen(line)} at ${new Date(line.at).toISOString()}`
const extra = (line: AccessLine): Difference =>
  difference('extra', `${seen(line)}: the ledger has no such request`)
const early = (line: AccessLine): Difference =>
  difference('early', `${seen(line)}: the ledger has it only for later`)
