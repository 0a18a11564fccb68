import type { Purpose, Header } from '../kernel/words.ts'
import type { HttpRequest } from './port.ts'
import type { Policy } from '../programmes/policy.ts'
import type { HttpUrl } from '../kernel/url.ts'

/** The request as it goes out: one fixed agent, no cookie, no referrer, nothing about anybody. */
export const requestFor = (policy: Policy, purpose: Purpose, url: HttpUrl): HttpRequest => {
  const rule = policy.fetch[purpose]
  const headers: readonly Header[] = [
    ['user-agent', policy.userAgent],
    ['accept', rule.accept],
    ['accept-encoding', 'gzip, br'],
  ]
  return { url, headers, limits: { ...policy.limits, bodyBytes: rule.maxBytes } }
}
