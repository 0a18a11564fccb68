/** What is said of one fetch, so that a reader can find it again and an auditor can check it. */
import { formatInstant, type Instant } from '../kernel/instant.ts'
import type { HttpUrl } from '../kernel/url.ts'
import type { EventType } from '../ledger/event.ts'
import type { Body } from '../ledger/events/response-received.ts'

/** How the request ended. `open`: no event has closed it yet. */
export type FetchEnd = 'answered' | 'failed' | 'abandoned' | 'open'

export type FetchCitation = {
  /** The log; a simulated one says so in every format. */
  readonly origin: string
  readonly isSimulated: boolean
  /** The event that was named, and the request and the end of the exchange it belongs to. */
  readonly position: number
  readonly type: EventType
  readonly request: number
  readonly answer: number | null
  readonly url: HttpUrl
  readonly end: FetchEnd
  /** When the end of the exchange was recorded, or, while it is open, its request. */
  readonly at: Instant
  readonly status: number | null
  readonly body: Body | null
  /** The newest signed head, if it covers all three positions. `root` is base64. */
  readonly sealed: { readonly size: number; readonly root: string } | null
  readonly links: Links
}

/** Where the fetch is found again. Without a base there is a name only, which no browser opens. */
export type Links = {
  readonly permanent: string
  readonly memento: string | null
  readonly timegate: string | null
  readonly timemap: string | null
}

type Linked = Pick<FetchCitation, 'origin' | 'position' | 'url' | 'at'>

/** `base`: where a ledger is served, without a slash at the end (docs/decisions/0083). */
export const linksOf = ({ origin, position, url, at }: Linked, base: string | undefined): Links => {
  if (base === undefined) {
    const name = origin.split('/').map(encodeURIComponent).join('/')
    return {
      permanent: `crawl-ledger:${name}/${position}`,
      memento: null,
      timegate: null,
      timemap: null,
    }
  }
  return {
    permanent: `${base}/e/${position}`,
    memento: `${base}/memento/${fourteenDigits(at)}/${url}`,
    timegate: `${base}/timegate/${url}`,
    timemap: `${base}/timemap/link/${url}`,
  }
}

/** `2026-11-30T02:30:00Z`: the second in which it happened, never rounded up. */
export const secondOf = (at: Instant): string => `${formatInstant(at).slice(0, 19)}Z`
/** `2026-11-30`: the day in UTC. */
export const dayOf = (at: Instant): string => formatInstant(at).slice(0, 10)
/** `02:30:00`, UTC. */
export const timeOf = (at: Instant): string => formatInstant(at).slice(11, 19)
const fourteenDigits = (at: Instant): string => secondOf(at).replaceAll(/\D/g, '')

export const hostOf = ({ url }: Pick<FetchCitation, 'url'>): string => new URL(url).host

/** The address without its scheme. Never the title that the page gives itself: that is the page's word. */
export const titleOf = ({ url }: Pick<FetchCitation, 'url'>): string =>
  url.replace(/^https?:\/\//, '')

export const REHEARSAL = 'REHEARSAL on a simulated clock, not a fetch of the real web'

const ENDS: { readonly [end in FetchEnd]: string } = {
  answered: 'fetched',
  failed: 'asked, and no answer came,',
  abandoned: 'asked, and nobody knows whether an answer came,',
  open: 'asked, and no end is recorded yet,',
}

/** `fetched`, or what happened instead, in words before a time. */
export const verbOf = ({ end }: Pick<FetchCitation, 'end'>): string => ENDS[end]

const bodyWords = (body: Body): string => {
  if (!body.kept) return 'body not kept, by the policy of the programme'
  const cut = body.truncated ? ', cut at the limit of its programme' : ''
  return `body of ${body.bytes} bytes kept${cut}, commitment ${body.alg} ${body.commit}`
}

/** What a day and an address leave out, as phrases; the first says when, to the second. */
export const factsOf = (citation: FetchCitation): readonly string[] => {
  const { isSimulated, position, at, status, body, sealed } = citation
  return [
    ...(isSimulated ? [REHEARSAL] : []),
    `${verbOf(citation)} ${secondOf(at)} by the crawler’s clock`,
    ...(status === null ? [] : [`HTTP status ${status}`]),
    ...(body === null ? [] : [bodyWords(body)]),
    `position ${position} of the ${logOf(citation)}`,
    sealed === null
      ? 'not sealed by a signed head yet'
      : `under its signed head of ${sealed.size} entries with root ${sealed.root}`,
  ]
}

export const logOf = ({ origin }: Pick<FetchCitation, 'origin'>): string =>
  `crawl ledger ${visible(origin)}`

/** Line ends, control and direction characters have no place in any of the formats. */
const visible = (text: string): string =>
  text.toWellFormed().replaceAll(/[\p{C}\u2028\u2029]/gu, '\ufffd')
