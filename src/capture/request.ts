import type { Purpose, Header } from '../kernel/words.ts'
import type { HttpRequest } from './port.ts'
import { fetchRule, type Policy } from '../programmes/policy.ts'
import type { HttpUrl } from '../kernel/url.ts'

/**
 * The request as it goes out: one fixed agent, no cookie, no referrer, nothing about anybody.
 * `conditional`: the headers by which an unchanged page answers 304 (PK12, RC10).
 */
export const requestFor = (
  policy: Policy,
  purpose: Purpose,
  url: HttpUrl,
  conditional: readonly Header[],
): HttpRequest => {
  const rule = fetchRule(policy, purpose)
  const headers: readonly Header[] = [
    ['user-agent', policy.userAgent],
    ['accept', rule.accept],
    ['accept-encoding', 'gzip, br'],
    ...conditional,
  ]
  return { url, headers, limits: { ...policy.limits, bodyBytes: rule.maxBytes } }
}
