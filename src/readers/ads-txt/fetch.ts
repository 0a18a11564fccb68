import { decideRedirect, isRedirect } from '../../capture/redirect.ts'
import { E } from '../../kernel/fp.ts'
import { parseHttpUrl, type HttpUrl } from '../../kernel/url.ts'
import type { RedirectReason } from '../../ledger/events/redirect-decided.ts'
import { judgeAnswer, keepLast, type AnswerState, type AnswerVerdict } from './answer.ts'
import { foldDomain } from '../domain.ts'
import type { FetchFaultCode } from './fetch-fault.ts'
import type { AdsTxtContext } from './variable.ts'

/** One step on the way to the file: an answer, or why there was none. */
export type FetchStep = {
  readonly url: string
  /** undefined: no answer came, see `failure`. */
  readonly status: number | undefined
  readonly location?: string
  readonly type?: string
  readonly body?: Uint8Array
  readonly failure?: 'timeout' | 'unreachable'
}

export type FetchContext = AdsTxtContext & {
  /** Whether an earlier asking gave a good data set; without one there is nothing to keep. */
  readonly earlierGood?: boolean
}

export type FetchVerdict = Omit<AnswerVerdict, 'state'> & {
  readonly state: AnswerState | 'unknown'
}

/** Redirects in a row within the root domain; validators stop at the same number. */
const REDIRECTS_MAX = 5

/** Judges the whole way from the first address to the last answer (ads.txt 1.1 §3.1). */
export const judgeAdsTxtFetch = (
  chain: readonly FetchStep[],
  context: FetchContext,
): FetchVerdict => {
  const verdict = judgeStart(chain, context) ?? followChain(chain, context)
  return verdict.state === 'keep_last' && context.earlierGood === false
    ? { ...verdict, state: 'unknown' }
    : verdict
}

/** §3.1, §5.5: the file begins at the domain it is for; a copy on www alone does not count. */
const judgeStart = (
  chain: readonly FetchStep[],
  { domain }: FetchContext,
): AnswerVerdict | undefined => {
  const start = URL.parse(chain[0]?.url ?? '')
  if (start === null) return keepLast('H_NETWORK')
  return domain === undefined || foldDomain(domain) === foldDomain(start.hostname)
    ? undefined
    : keepLast('H_NOT_ROOT')
}

const followChain = (chain: readonly FetchStep[], context: FetchContext): AnswerVerdict => {
  const trail: HttpUrl[] = []
  let unlisted = false
  for (const step of chain) {
    const from = parseHttpUrl(step.url)
    if (E.isLeft(from)) return keepLast('H_REDIRECT_BAD_LOCATION')
    trail.push(from.right)
    const { status } = step
    if (status === undefined)
      return keepLast(step.failure === 'timeout' ? 'H_TIMEOUT' : 'H_NETWORK')
    if (!isRedirect(status)) {
      const { type, body = new Uint8Array() } = step
      const verdict = judgeAnswer({ status, type, body }, context)
      return unlisted ? withNote(verdict) : verdict
    }
    const fault = redirectFault(step, trail, status)
    if (fault !== undefined) return keepLast(fault)
    unlisted ||= status === 303 || status === 308
  }
  return keepLast('H_NETWORK')
}

const withNote = (verdict: AnswerVerdict): AnswerVerdict => ({
  ...verdict,
  faults: ['H_REDIRECT_STATUS', ...verdict.faults],
})

const redirectFault = (
  step: FetchStep,
  trail: readonly HttpUrl[],
  status: number,
): FetchFaultCode | undefined => {
  const [target] = trail
  const from = trail.at(-1)
  if (target === undefined || from === undefined) return 'H_REDIRECT_BAD_LOCATION'
  const choice = decideRedirect({
    rule: 'iab',
    maxRedirects: REDIRECTS_MAX,
    target,
    from,
    status,
    locations: step.location === undefined ? [] : [step.location],
    hop: trail.length,
    trail,
    refuseDowngrade: false,
    discarded: new Set(),
  })
  return choice.verdict === 'follow' ? undefined : REDIRECT_FAULTS[choice.reason]
}

const REDIRECT_FAULTS: Readonly<Record<Exclude<RedirectReason, 'followed'>, FetchFaultCode>> = {
  'no-location': 'H_REDIRECT_NO_LOCATION',
  'ambiguous-location': 'H_REDIRECT_NO_LOCATION',
  'bad-location': 'H_REDIRECT_BAD_LOCATION',
  'second-hop-outside': 'H_REDIRECT_SECOND_HOP',
  loop: 'H_TOO_MANY_REDIRECTS',
  'too-many-redirects': 'H_TOO_MANY_REDIRECTS',
  // Not refused under this rule; named for completeness.
  'https-to-http': 'H_REDIRECT_REFUSED',
  'other-site': 'H_REDIRECT_REFUSED',
  'below-root': 'H_REDIRECT_REFUSED',
  'discarded-page': 'H_REDIRECT_REFUSED',
}
