import { pathOf } from '../../kernel/url.ts'
import type { Recorded } from '../../ledger/entry.ts'
import type { Policy } from '../../programmes/policy.ts'
import { isOf } from '../exchange.ts'
import { type Finding, type Rule, wrongs } from '../rule.ts'

/** Headers that are made from a body, or say what stands in it. */
const OF_THE_BODY: ReadonlySet<string> = new Set([
  'content-digest',
  'content-length',
  'content-md5',
  'content-range',
  'content-security-policy',
  'content-security-policy-report-only',
  'digest',
  'etag',
  'last-modified',
  'link',
  'repr-digest',
  'x-content-digest',
])

const HOST_NAME = /^[a-z0-9_.-]{1,253}$/
/** The answer and the host names: about a hundred bytes; this many can rebuild no page. */
const OBSERVED_CHARACTERS_MAX = 4_000

const answered = ({ event }: Recorded<'ResponseReceived'>): Finding => {
  const { url, headers, body } = event
  const derived = headers
    .map(([name]) => name.toLowerCase())
    .filter((name) => OF_THE_BODY.has(name))
  return wrongs(
    [body.kept, () => `the body of ${url} was kept`],
    [
      derived.length > 0,
      () => `of ${url} there is kept what its body gives away: ${derived.join(', ')}`,
    ],
  )
}

const observed = ({ event }: Recorded<'NetworkObserved'>): Finding => {
  const { subject, manager, exchange, hosts } = event
  const length = [manager ?? '', ...exchange, ...hosts].join('').length
  return wrongs(
    [
      !hosts.every((host) => HOST_NAME.test(host)),
      () => `more than host names is kept of the page of ${subject}`,
    ],
    [
      length > OBSERVED_CHARACTERS_MAX,
      () => `${length} characters are kept of the page of ${subject}`,
    ],
  )
}

/** A page is that page also where a redirect of another file led to it. */
const keptAsAnother = ({ event }: Recorded<'ResponseReceived'>, { fetch }: Policy): Finding => {
  const { url, purpose, status, body } = event
  const isPage = Object.values(fetch).some(
    ({ keep, path }) => keep === 'discard' && path === pathOf(url),
  )
  if (!isPage || !body.kept || status < 200 || status > 299) return undefined
  return [`the page ${url} was kept, as ${purpose}`]
}

/** PR12: of a page that is to be discarded nothing stands in the ledger but the answer. */
export const discarded: Rule = {
  promises: ['PR12'],
  looksAt: 'every event that could hold something of a discarded page',
  begin:
    () =>
    (recorded, { policy }) => {
      if (policy === undefined) return undefined
      if (isOf(recorded, 'NetworkObserved')) return observed(recorded)
      if (!isOf(recorded, 'ResponseReceived', 'FetchConcluded')) return undefined
      const discards = policy.fetch[recorded.event.purpose]?.keep === 'discard'
      if (isOf(recorded, 'ResponseReceived'))
        return discards ? answered(recorded) : keptAsAnother(recorded, policy)
      if (!discards || !isOf(recorded, 'FetchConcluded')) return undefined
      const { commit, target } = recorded.event
      return wrongs([commit !== null, () => `the conclusion about ${target} names a body`])
    },
}
