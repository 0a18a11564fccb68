import { decodeBody } from '../capture/decode-body.ts'
import type { Sent } from '../capture/closing.ts'
import { headerValues } from '../capture/headers.ts'
import type { HttpAnswer } from '../capture/port.ts'
import { E } from '../kernel/fp.ts'
import type { EventOf } from '../ledger/event.ts'
import {
  AD_NETWORK_READER,
  type AdNetworkReading,
  readAdNetworkBytes,
} from '../readers/ad-network/read.ts'
import { readerLabel } from '../readers/reader.ts'
import type { Known } from './understand.ts'
import type { Crawl } from './crawl.ts'

const HOMEPAGE_DECODED_MAX = 16_777_216
const HOSTS_MAX = 12

type Observed = Pick<
  EventOf<'NetworkObserved'>,
  'read' | 'manager' | 'exchange' | 'hosts' | 'hostsOmitted'
>

/**
 * PR12: the homepage is read here, once, for one question, and nothing of it goes any further than
 * the answer and the few host names that gave it.
 */
export const observeNetwork = (
  crawl: Crawl,
  { position, event }: Sent,
  { answer, redirect, refusal }: Known,
): readonly EventOf<'NetworkObserved'>[] => {
  if (event.purpose !== 'homepage' || answer === null || redirect !== null) return []
  const unread = refusal === null ? whyUnread(answer) : 'refused'
  const observed = unread === undefined ? readHomepage(answer) : { ...nothingSeen, read: unread }
  return [
    {
      type: 'NetworkObserved',
      v: 1,
      programme: crawl.policy.name,
      subject: event.subject,
      request: position,
      night: event.night,
      reader: readerLabel(AD_NETWORK_READER),
      ...observed,
    },
  ]
}

const nothingSeen = { manager: null, exchange: [], hosts: [], hostsOmitted: 0 }

const whyUnread = (answer: HttpAnswer): Observed['read'] | undefined => {
  if (answer.status < 200 || answer.status > 299) return 'not-success'
  const type = headerValues(answer.headers, 'content-type')[0] ?? 'text/html'
  return /^\s*(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(type) ? undefined : 'not-html'
}

const readHomepage = (answer: HttpAnswer): Observed => {
  const decoded = decodeBody(answer.body, answer.headers, HOMEPAGE_DECODED_MAX)
  if (E.isLeft(decoded)) return { ...nothingSeen, read: 'not-html' }
  const contentType = headerValues(answer.headers, 'content-type')[0]
  const reading: AdNetworkReading = readAdNetworkBytes(decoded.right, contentType)
  return {
    read: answer.truncated ? 'truncated' : 'read',
    manager: reading.manager,
    exchange: (reading.exchange ?? []).slice(0, HOSTS_MAX),
    hosts: reading.hosts.slice(0, HOSTS_MAX),
    hostsOmitted: Math.max(0, reading.hosts.length - HOSTS_MAX),
  }
}
