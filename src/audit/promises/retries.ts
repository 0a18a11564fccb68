import { siteOf } from '../../kernel/url.ts'
import type { Recorded } from '../../ledger/entry.ts'
import type { Policy } from '../../programmes/policy.ts'
import type { Exchange } from '../exchange.ts'
import { ofRequests, type Rule, wrongs } from '../rule.ts'
import { mayTryAgain } from '../tries.ts'

const oneMore = (
  { event, ts }: Recorded<'RequestSent'>,
  before: Exchange,
  { retries }: Policy,
): readonly string[] => {
  const { url, attempt } = event
  const { closed } = before
  const ownMs = (retries.waitsSeconds[before.attempt - 1] ?? 0) * 1_000
  const waitMs = closed?.retryAfterMs ?? ownMs
  const waited = ts - (closed?.endedAt ?? ts)
  return wrongs(
    [
      attempt !== before.attempt + 1,
      () => `${url} was tried as no. ${attempt} after no. ${before.attempt}`,
    ],
    [waited < waitMs, () => `${url} was tried again after ${waited} ms, not after ${waitMs} ms`],
  )
}

/** PK10, RC13: another try only after what is tried again, so often, and after its wait. */
export const retries: Rule = {
  promises: ['PK10', 'RC13'],
  looksAt: 'every request that was one more try, and what came of the one before',
  begin: ofRequests((sent, { policy, past }) => {
    const { url, attempt } = sent.event
    const before = past.triedBefore(sent)
    if (before === undefined)
      return attempt === 1 ? undefined : [`${url} was tried as no. ${attempt} without a first time`]
    if (mayTryAgain(policy, before)) return oneMore(sent, before, policy)
    // What was answered and is asked once more is no retry, but a matter of how often it is asked.
    const answered = (before.closed?.status ?? 500) < 400
    return attempt === 1 && answered
      ? undefined
      : [`${url} was tried again, which position ${before.position} gave no leave for`]
  }),
}

/** RC9: a source costs so many files a night; redirects and further tries belong to their request. */
export const budget: Rule = {
  promises: ['RC9'],
  looksAt: 'how many files other than robots.txt each source cost in a night',
  begin: () => {
    const nights = new Map<
      string,
      { readonly night: string; readonly files: Map<string, number> }
    >()
    return ofRequests(({ event }, { policy }) => {
      const { programme, source, purpose, hop, attempt, night, url } = event
      const { filesPerSource } = policy.budget
      if (filesPerSource === null || source === null) return undefined
      if (purpose === 'robots' || hop > 0 || attempt > 1) return undefined
      const known = nights.get(programme)
      const tonight = known?.night === night ? known : { night, files: new Map<string, number>() }
      nights.set(programme, tonight)
      // An id may stand for pages of several sites; a night's cost is one site's.
      const key = `${source} ${siteOf(url)}`
      const files = (tonight.files.get(key) ?? 0) + 1
      tonight.files.set(key, files)
      return wrongs([
        files > filesPerSource,
        () =>
          `${url} is file no. ${files} of ${source} in the night ${night}, over ${filesPerSource}`,
      ])
    })()
  },
}
