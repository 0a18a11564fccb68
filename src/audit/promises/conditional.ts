import type { Digest } from '../../kernel/digest.ts'
import type { Position } from '../../kernel/position.ts'
import { type HttpUrl, siteOf } from '../../kernel/url.ts'
import type { Header } from '../../kernel/words.ts'
import type { Recorded } from '../../ledger/entry.ts'
import type { Policy } from '../../programmes/policy.ts'
import { isOf } from '../exchange.ts'
import type { Past } from '../past.ts'
import { type Recent, recentOf } from '../recent.ts'
import { type Finding, type Rule, wrongs } from '../rule.ts'

/** The last whole answer: what it may be asked about with, by the header that says it, and its body. */
type Known = { readonly headers: ReadonlyMap<string, string>; readonly commit: Digest }
type Pages = Map<HttpUrl, Known>

/** The pages of one site that are remembered; of more, the oldest is asked for in full. */
const PAGES_MAX = 2_000
const ETAG_LENGTH_MAX = 512
const DAY_MS = 26 * 3_600_000

/** RFC 9110 §8.8.3, §5.6.7. */
const VALIDATORS: readonly (readonly [given: string, asked: string, form: RegExp])[] = [
  ['etag', 'if-none-match', /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/],
  [
    'last-modified',
    'if-modified-since',
    /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
  ],
]

/** A header counts if it is given once and has its form: nothing else may go back out. */
const validatorsOf = (headers: readonly Header[]): Known['headers'] =>
  new Map(
    VALIDATORS.flatMap(([given, asked, form]) => {
      const [value, ...more] = headers
        .filter(([name]) => name.toLowerCase() === given)
        .map(([, one]) => one)
      if (value === undefined || more.length > 0 || !form.test(value)) return []
      return given === 'etag' && value.length > ETAG_LENGTH_MAX ? [] : [[asked, value] as const]
    }),
  )

/** A whole answer takes the place of the one before; one without validators leaves nothing. */
const takeWhole = (pages: Pages, { url, headers, body }: Recorded<'ResponseReceived'>['event']) => {
  pages.delete(url)
  const validators = validatorsOf(headers)
  if (body.kept && !body.truncated && validators.size > 0)
    pages.set(url, { headers: validators, commit: body.commit })
  const oldest = pages.keys().next()
  if (pages.size > PAGES_MAX && oldest.done !== true) pages.delete(oldest.value)
}

const asking = (
  { url, purpose, headers }: Recorded<'RequestSent'>['event'],
  known: Known | undefined,
  policy: Policy,
): Finding => {
  const asked = headers
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => name.startsWith('if-'))
  const wanted = policy.fetch[purpose]?.conditional === true ? known?.headers : undefined
  if (asked.length === 0 && wanted === undefined) return undefined
  const missing = [...(wanted?.keys() ?? [])].filter((name) => !asked.some(([one]) => one === name))
  const other = asked.filter(([name, value]) => wanted?.get(name) !== value).map(([name]) => name)
  return wrongs(
    [
      missing.length > 0,
      () => `${url} was asked without the ${missing.join(', ')} of its last visit`,
    ],
    [
      other.length > 0,
      () => `${url} was asked with an ${other.join(', ')} that no last visit gave`,
    ],
  )
}

type Memory = {
  /** By programme and site. */
  readonly sites: Map<string, Pages>
  /** What each answer of 304 confirmed. */
  readonly confirmed: Recent<Position, Digest>
}

const pagesOf = (
  { sites }: Memory,
  { programme, url }: { readonly programme: string; readonly url: HttpUrl },
): Pages => {
  const key = `${programme} ${siteOf(url)}`
  const pages = sites.get(key) ?? new Map<HttpUrl, Known>()
  sites.set(key, pages)
  return pages
}

const takeAnswer = (
  memory: Memory,
  { event, ts }: Recorded<'ResponseReceived'>,
  policy: Policy,
): void => {
  if (event.purpose !== 'page') return
  const pages = pagesOf(memory, event)
  const known = policy.fetch.page?.conditional === true ? pages.get(event.url) : undefined
  if (event.status === 304 && known !== undefined)
    memory.confirmed.set(event.request, known.commit, ts)
  if (event.status === 200) takeWhole(pages, event)
}

const concluding = (
  { request, commit, target }: Recorded<'FetchConcluded'>['event'],
  { confirmed }: Memory,
  past: Past,
): Finding => {
  const closed = request === null ? undefined : past.exchange(request)?.closed
  if (request === null || commit === null || closed?.status !== 304) return undefined
  // A 304 that nobody asked for confirms nothing: all there is is its own, empty body.
  return wrongs([
    (confirmed.get(request) ?? closed.commit) !== commit,
    () => `the 304 for ${target} was taken for another body than that of the last visit`,
  ])
}

/** PK12, RC10: conditional on the last whole answer that was kept, and on nothing else. */
export const conditional: Rule = {
  promises: ['PK12', 'RC10'],
  looksAt: 'the conditional headers of every request, and the body that each 304 confirmed',
  begin: () => {
    const memory: Memory = { sites: new Map(), confirmed: recentOf(DAY_MS) }
    return (recorded, { policy, past }) => {
      if (policy === undefined) return undefined
      if (isOf(recorded, 'ResponseReceived')) takeAnswer(memory, recorded, policy)
      if (isOf(recorded, 'FetchConcluded')) return concluding(recorded.event, memory, past)
      if (!isOf(recorded, 'RequestSent')) return undefined
      const { event } = recorded
      const known = event.purpose === 'page' ? pagesOf(memory, event).get(event.url) : undefined
      return asking(event, known, policy)
    }
  },
}
