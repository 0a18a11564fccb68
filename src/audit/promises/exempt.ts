import { isOf } from '../exchange.ts'
import { type Rule, wrongs } from '../rule.ts'

/** PR4: what exists to be read by automated clients is read; everything else obeys Disallow. */
export const exempt: Rule = {
  promises: ['PR4'],
  looksAt: 'decisions about exempt files, and that no other file is treated as one',
  begin:
    () =>
    (recorded, { policy }) => {
      if (policy === undefined) return undefined
      if (isOf(recorded, 'RobotsDecided')) {
        const { purpose, basis, verdict, url } = recorded.event
        const isExempt = policy.fetch[purpose]?.exemptFromRobots === true
        return wrongs(
          [
            !isExempt && basis === 'exempt',
            () => `${url} was taken for exempt from robots.txt, and is not`,
          ],
          [
            isExempt && verdict === 'deny' && basis === 'rule',
            () => `${url} is exempt from robots.txt, and was denied by a rule of it`,
          ],
        )
      }
      if (isOf(recorded, 'RequestWithheld')) {
        const { purpose, reason, url } = recorded.event
        return wrongs([
          policy.fetch[purpose]?.exemptFromRobots === true && reason === 'robots-disallow',
          () => `${url} is exempt from robots.txt, and was withheld for it`,
        ])
      }
      return undefined
    },
}
