import { isOf } from '../exchange.ts'
import { type Rule, wrongs } from '../rule.ts'

/** PR11, RC7: a file that is to be kept is kept as it came, whole up to the policy's size. */
export const kept: Rule = {
  promises: ['PR11', 'RC7'],
  looksAt:
    'that each such answer has a kept body, and that each kept robots.txt is still there or was erased by a person’s act',
  begin:
    () =>
    (recorded, { policy, kept }) => {
      if (policy === undefined) return undefined
      if (isOf(recorded, 'RobotsRead'))
        return kept === undefined
          ? undefined
          : wrongs([
              kept.tag === 'Missing',
              () => `the kept robots.txt of ${recorded.event.origin} is not in the body store`,
            ])
      if (!isOf(recorded, 'ResponseReceived')) return undefined
      const { purpose, url, body } = recorded.event
      const rule = policy.fetch[purpose]
      if (rule?.keep !== 'as-served') return undefined
      const { maxBytes } = rule
      if (!body.kept) return [`the body of ${url} was not kept`]
      return wrongs([
        body.truncated && body.bytes < maxBytes,
        () => `the body of ${url} was cut at ${body.bytes} bytes, and ${maxBytes} are to be kept`,
      ])
    },
}
