import { E } from '../../kernel/fp.ts'
import type { Recorded } from '../../ledger/entry.ts'
import type { ClosingEvent } from '../../ledger/event.ts'
import type { Ledger } from '../../ledger/port.ts'
import type { TreeStore } from '../../ledger/tlog/port.ts'
import { parseHttpUrl } from '../../kernel/url.ts'
import { type FetchCitation, type FetchEnd, linksOf } from '../../publish/citation.ts'
import { eventAt, exchangeOf, neighboursOf } from '../exchange.ts'
import { Halt, orHalt } from '../halt.ts'
import { headIn, readLogRecord } from '../tlog/log-record.ts'

export type CitePorts = {
  readonly ledger: Ledger
  readonly tree: Pick<TreeStore, 'newest'>
}

/** The fetch that the event at `position` belongs to; `base` as `baseArgument` gives it. */
export const citationAt = async (
  { ledger, tree }: CitePorts,
  position: number,
  base: string | undefined,
): Promise<FetchCitation> => {
  const recorded = await recordedAt(ledger, position)
  const { sent, closing } = await fetchOf(ledger, recorded)
  const log = await readLogRecord(ledger)
  if (log === undefined) throw notFound('the log was not opened: its events have no name to cite')
  const end = (closing ?? sent).position
  const sealed = await sealedTo(tree, Math.max(position, end))
  const cited = { origin: log.origin, position, url: sent.event.url, at: (closing ?? sent).ts }
  return {
    ...cited,
    isSimulated: log.clock === 'simulated',
    type: recorded.event.type,
    request: sent.position,
    answer: closing?.position ?? null,
    ...endOf(closing),
    sealed,
    links: linksOf(cited, base),
  }
}

const notFound = (because: string): Halt => new Halt({ tag: 'NotFound', because })

export const recordedAt = async (ledger: Ledger, position: number): Promise<Recorded> => {
  const recorded = await eventAt(ledger, position)
  if (recorded !== undefined) return recorded
  const { position: last } = await orHalt(ledger.head())
  throw notFound(`there is no position ${position}; the ledger ends at ${last}`)
}

type Closing = Recorded<ClosingEvent['type']>
type Exchange = { readonly sent: Recorded<'RequestSent'>; readonly closing: Closing | undefined }

const fetchOf = async (ledger: Ledger, recorded: Recorded): Promise<Exchange> => {
  const { event, position } = recorded
  const request = exchangeOf(recorded)
  if (request === undefined)
    throw notFound(
      `position ${position} is ${event.type}, which belongs to no fetch; cite a request, its answer or what followed from it`,
    )
  const near = await neighboursOf(ledger, recorded)
  const sent = near.find((one) => one.position === request)
  if (sent === undefined || !isSent(sent))
    throw new Halt({
      tag: 'IntegrityBreach',
      position,
      because: `it names position ${request} as its request, and that is none`,
    })
  return { sent, closing: near.find(isClosing) }
}

const isSent = (recorded: Recorded): recorded is Recorded<'RequestSent'> =>
  recorded.event.type === 'RequestSent'
const isClosing = (recorded: Recorded): recorded is Closing =>
  recorded.event.type === 'ResponseReceived' ||
  recorded.event.type === 'RequestFailed' ||
  recorded.event.type === 'RequestAbandoned'

const endOf = (closing: Closing | undefined): Pick<FetchCitation, 'end' | 'status' | 'body'> => {
  const none = { status: null, body: null }
  if (closing === undefined) return { end: 'open', ...none }
  const { event } = closing
  if (event.type === 'ResponseReceived')
    return { end: 'answered', status: event.status, body: event.body }
  const end: FetchEnd = event.type === 'RequestFailed' ? 'failed' : 'abandoned'
  return { end, ...none }
}

const sealedTo = async (
  tree: CitePorts['tree'],
  position: number,
): Promise<FetchCitation['sealed']> => {
  const stored = await orHalt(tree.newest())
  if (stored === undefined || stored.size < position) return null
  const { size, root } = headIn(`the head of size ${stored.size}`, stored.note)
  return { size, root: root.toString('base64') }
}

/** Where a ledger is served, as a person typed it; without the slash at its end. */
export const baseArgument = (given: string): string => {
  const parsed = parseHttpUrl(given)
  if (E.isRight(parsed) && !parsed.right.includes('?')) return parsed.right.replace(/\/+$/, '')
  throw new Halt({
    tag: 'WrongUse',
    because: `--base takes an http or https address without a query, not ${given.slice(0, 100)}`,
  })
}
