import type { Clock } from '../../kernel/clock.ts'
import { instant, type Instant } from '../../kernel/instant.ts'
import { onAbort } from './abort.ts'

/**
 * The longest a sleep goes on without looking at the wall clock. A sleep up to this long is waited
 * out in full even if the clock is set forward meanwhile (a pause towards a site never shrinks);
 * a longer one notices a clock that was set, or a machine that was suspended, within this time.
 * Also well below 2^31 ms, beyond which setTimeout would fire at once.
 */
const LOOK_AGAIN_MS = 60_000

const now = (): Instant => instant(Date.now())

/** Sleeps until the wall clock reads `moment` or later: a timer that fires early sleeps on. */
const sleepUntil = (moment: Instant, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined
    const wake = (): void => {
      clearTimeout(timer)
      forget()
      resolve()
    }
    const forget = onAbort(signal, wake)
    const look = (): void => {
      const remaining = moment - now()
      if (remaining <= 0 || signal?.aborted === true) wake()
      else timer = setTimeout(look, Math.min(remaining, LOOK_AGAIN_MS))
    }
    look()
  })

/** The machine's own time. Tracking changes nothing here: real time never stands still. */
export const systemClock = (): Clock => ({
  kind: 'system',
  now,
  sleepUntil,
  track: async (task) => task(),
})
