import { formatInstant } from '../../kernel/instant.ts'
import { siteOf } from '../../kernel/url.ts'
import type { PromiseId } from '../catalogue.ts'
import { isOf } from '../exchange.ts'
import { type Cause, newRests } from '../rests.ts'
import { type Rule, wrongs } from '../rule.ts'

const resting = (
  cause: Cause,
  { promises, looksAt }: { readonly promises: readonly PromiseId[]; readonly looksAt: string },
): Rule => ({
  promises,
  looksAt,
  begin: () => {
    const rests = newRests()
    return (recorded, { policy, past }) => {
      if (policy === undefined) return undefined
      rests.take(recorded, policy, past)
      if (!isOf(recorded, 'RequestSent')) return undefined
      const { url } = recorded.event
      const rest = rests.of(siteOf(url), cause)
      if (rest === undefined) return undefined
      return wrongs([
        rest.until > recorded.ts,
        () =>
          `${url} was asked before ${formatInstant(rest.until)}, although there was ${rest.because}`,
      ])
    }
  },
})

/** PR9, PK10, RC13: "later" is waited for: by Retry-After, and to the next night where it persists. */
export const askedLater: Rule = resting('later', {
  promises: ['PR9', 'PK10', 'RC13', 'RC20'],
  looksAt: 'requests to a site, of whatever programme, after a 429, a 503 or a Retry-After',
})

/** PR9, PK11, RC20: after a no nothing is asked of the site until the night is over. */
export const refused: Rule = resting('refusal', {
  promises: ['PR9', 'PK11', 'RC20'],
  looksAt: 'requests to a site, of whatever programme, after a refusal',
})

/** PK15, RC22: a no holds for its night, and as long as it asks; nothing is withheld for it after that. */
export const comeBack: Rule = {
  promises: ['PK15', 'RC22'],
  looksAt: 'withholdings for a no that is over, and requests in the nights after one',
  begin: () => {
    const rests = newRests()
    return (recorded, { policy, past }) => {
      if (policy === undefined) return undefined
      rests.take(recorded, policy, past)
      if (isOf(recorded, 'RequestSent'))
        return rests.of(siteOf(recorded.event.url), 'refusal') === undefined ? undefined : []
      if (!isOf(recorded, 'RequestWithheld') || recorded.event.reason !== 'cooldown')
        return undefined
      const { url } = recorded.event
      const known = (['later', 'refusal'] as const).map((cause) => rests.of(siteOf(url), cause))
      const holds = known.some((rest) => rest !== undefined && rest.atMost > recorded.ts)
      return holds ? [] : [`${url} was withheld for a no that nobody said, or that was over`]
    }
  },
}
