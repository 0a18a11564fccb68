import { isOf } from '../exchange.ts'
import { type Rule, wrongs } from '../rule.ts'

/** Ending an exchange takes a moment by itself. */
const GRACE_MS = 2_000

/** RC12: so long for an answer, so many bytes of it. */
export const limits: Rule = {
  promises: ['RC12'],
  looksAt: 'how long each answer took and how much of it was read',
  begin:
    () =>
    (recorded, { policy }) => {
      if (policy === undefined || !isOf(recorded, 'ResponseReceived')) return undefined
      const { url, purpose, timing, body } = recorded.event
      const { totalMs } = policy.limits
      const { maxBytes = 0 } = policy.fetch[purpose] ?? {}
      return wrongs(
        [
          timing.totalMs > totalMs + GRACE_MS,
          () => `${url} was waited for ${timing.totalMs} ms, over ${totalMs}`,
        ],
        [
          body.kept && body.bytes > maxBytes,
          () => `of ${url} more than ${maxBytes} bytes were read`,
        ],
      )
    },
}
