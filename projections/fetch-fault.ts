/** Why asking for a file gave nothing to read, in the codes of the readers' faults. */
import type { EventOf } from '../src/ledger/event.ts'
import type { Folded } from './projection.ts'

/** `detail` is the ledger's own tag for the same thing. */
export type FetchFault = { readonly code: string; readonly detail: string }

type Concluded = EventOf<'FetchConcluded'>

const REDIRECTS: ReadonlyMap<string, string> = new Map([
  ['no-location', 'H_REDIRECT_NO_LOCATION'],
  ['ambiguous-location', 'H_REDIRECT_NO_LOCATION'],
  ['bad-location', 'H_REDIRECT_BAD_LOCATION'],
  ['https-to-http', 'H_REDIRECT_DOWNGRADE'],
  ['too-many-redirects', 'H_TOO_MANY_REDIRECTS'],
  ['loop', 'H_TOO_MANY_REDIRECTS'],
  ['second-hop-outside', 'H_REDIRECT_SECOND_HOP'],
])

const UNREAD = { 'body-missing': 'H_BODY_MISSING', 'body-erased': 'H_BODY_ERASED' } as const

/** The one fault of a fetch that left nothing to read. */
export const unreadFault = (event: Concluded, reading: Folded['reading']): FetchFault => {
  const detail = event.because
  switch (event.outcome) {
    case 'redirect-refused':
      return { code: REDIRECTS.get(detail) ?? 'H_REDIRECT_REFUSED', detail }
    case 'withheld':
      return { code: 'H_WITHHELD', detail }
    case 'interrupted':
      return { code: 'H_INTERRUPTED', detail }
    case 'failed':
      return { code: detail.endsWith('timeout') ? 'H_TIMEOUT' : 'H_NETWORK', detail }
    case 'answered':
      return reading !== undefined && 'unread' in reading
        ? { code: UNREAD[reading.unread], detail: reading.unread }
        : { code: 'H_BODY_NOT_KEPT', detail }
  }
}

/** ads.txt 1.1 §3.1 and sellers.json 1.0 list 301, 302 and 307; others are followed with a note. */
export const redirectFaults = ({ redirects }: Concluded): readonly FetchFault[] =>
  redirects
    .filter((status) => status !== 301 && status !== 302 && status !== 307)
    .map((status) => ({ code: 'H_REDIRECT_STATUS', detail: String(status) }))
