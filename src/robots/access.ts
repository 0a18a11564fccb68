import { assert } from '../kernel/assert.ts'
import type { FailureReason } from '../ledger/exchange.ts'
import type { RedirectReason } from '../ledger/events/redirect-decided.ts'
import type { RobotsAccess } from '../ledger/events/robots-read.ts'

/** How a robots.txt fetch ended, after all its redirects. */
export type RobotsFetchEnd =
  /** `decodable` says whether the content coding could be undone; asked of a 2xx only. */
  | { readonly tag: 'Answered'; readonly status: number; readonly decodable: boolean }
  | { readonly tag: 'Failed'; readonly reason: FailureReason }
  | { readonly tag: 'RedirectRefused'; readonly reason: RedirectReason }
  | { readonly tag: 'Interrupted' }

/** `because` is one plain sentence part, at most 200 characters. */
export type RobotsAvailability = { readonly access: RobotsAccess; readonly because: string }

const rules = (because: string): RobotsAvailability => ({ access: 'rules', because })
const unavailable = (because: string): RobotsAvailability => ({ access: 'unavailable', because })
const unreachable = (because: string): RobotsAvailability => ({ access: 'unreachable', because })

/**
 * What a robots.txt fetch gives a right to (RFC 9309 §2.3.1). `rules`: the file decides.
 * `unavailable`: everything may be asked. `unreachable`: nothing may. Where the standard leaves the
 * choice, and wherever the site's wish is not known, the answer is `unreachable` (docs/decisions/0011).
 */
export const robotsAccess = (end: RobotsFetchEnd): RobotsAvailability => {
  switch (end.tag) {
    case 'Answered':
      return accessOfAnswer(end.status, end.decodable)
    case 'Failed':
      return unreachable(FAILURES[end.reason])
    case 'RedirectRefused':
      return unreachable(refusedRedirect(end.reason))
    case 'Interrupted':
      return unreachable('the fetch was interrupted before it ended')
  }
}

const accessOfAnswer = (status: number, decodable: boolean): RobotsAvailability => {
  // §2.3.1.4: a server error means complete disallow.
  if (status >= 500 && status <= 599) return unreachable(`server error ${status}`)
  // Too many requests is no statement about the file; it is an instruction to stop (PR9).
  if (status === 429) return unreachable('429: the server asked to be left alone')
  // §2.3.1.3: any other client error, 401 and 403 too, means that there are no rules (RC18).
  if (status >= 400 && status <= 499) return unavailable(`client error ${status}: no robots.txt`)
  if (status === 206) return unreachable('206: a part of a file that was not asked for in parts')
  // §2.3.1.1: success, whatever its content type and however short.
  if (status >= 200 && status <= 299) {
    return decodable
      ? rules(`answered ${status}`)
      : unreachable(`answered ${status} in a content coding that cannot be undone`)
  }
  if (status >= 300 && status <= 399) return unreachable(`${status} that leads nowhere`)
  return unreachable(`answered ${status}, which is not a final HTTP status`)
}

const FAILURES: Readonly<Record<FailureReason, string>> = {
  dns: 'the host name could not be resolved',
  'connect-refused': 'the connection was refused',
  'connect-timeout': 'no connection within the time limit',
  'connect-failed': 'no connection could be made',
  tls: 'no secure connection could be made',
  timeout: 'no whole answer within the time limit',
  reset: 'the connection was closed before an answer',
  'cut-short': 'the answer ended before its end',
  'bad-response': 'the answer was not HTTP',
  'headers-too-large': 'the answer’s headers were too large',
  'address-refused': 'the address is not one that may be connected to',
  interrupted: 'the fetch was interrupted before it ended',
  other: 'the fetch failed',
}

/** §2.3.1.2 lets a crawler take a file behind too many redirects for unavailable. This one does not. */
const refusedRedirect = (reason: RedirectReason): string => {
  assert(reason !== 'followed', 'a followed redirect is not how a fetch ends')
  return REFUSALS[reason]
}

const REFUSALS: Readonly<Record<Exclude<RedirectReason, 'followed'>, string>> = {
  'no-location': 'redirected without saying where to',
  'ambiguous-location': 'redirected to several addresses at once',
  'bad-location': 'redirected to something that is no web address',
  'https-to-http': 'redirected from https to http',
  'too-many-redirects': 'redirected more often than is followed',
  loop: 'redirected in a circle',
  'second-hop-outside': 'redirected off the site a second time',
  'other-site': 'redirected to another site',
  'below-root': 'redirected below the root of the site',
  'discarded-page': 'redirected to a page that is never kept',
}
