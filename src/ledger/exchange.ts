import { exactly, integer, nullable, oneOf, t, text } from '../kernel/codec.ts'
import { InstantText } from '../kernel/instant.ts'
import { Position } from '../kernel/position.ts'
import { Site } from '../kernel/site.ts'
import { HttpUrl } from '../kernel/url.ts'
import { Milliseconds, Night, ProgrammeName, Purpose } from '../kernel/words.ts'

/**
 * When the site may be asked next, and each input of that answer. `at` is the end of the exchange
 * plus the largest of the waits, or the end of the cooldown if that is later.
 */
export const NextAllowed = exactly({
  at: InstantText,
  floorMs: Milliseconds,
  crawlDelayMs: nullable(Milliseconds),
  retryAfterMs: nullable(Milliseconds),
  cooldownUntil: nullable(InstantText),
  cooldownBecause: nullable(text(100)),
})
export type NextAllowed = t.TypeOf<typeof NextAllowed>

/** What every closing event repeats of its request, so that it can be read by itself. */
export const closingFields = {
  programme: ProgrammeName,
  subject: Site,
  request: Position,
  n: integer(1),
  url: HttpUrl,
  target: HttpUrl,
  purpose: Purpose,
  night: Night,
  hop: integer(0, 20),
  next: NextAllowed,
}

/**
 * Real milliseconds from the start of connecting: until connected, until the first byte, until the
 * end; null where that step was not reached. Real also in a rehearsal.
 */
export const Timing = exactly({
  connectMs: nullable(Milliseconds),
  firstByteMs: nullable(Milliseconds),
  totalMs: Milliseconds,
})
export type Timing = t.TypeOf<typeof Timing>

export const Remote = exactly({ address: text(64), port: integer(1, 65_535) })
export type Remote = t.TypeOf<typeof Remote>

export const Tls = exactly({ protocol: text(32), cipher: text(64), certificateSha256: text(64) })
export type Tls = t.TypeOf<typeof Tls>

/** Why no answer came. One closed list; the raw code stands beside it in the event. */
export const FailureReason = oneOf(
  'dns',
  'connect-refused',
  'connect-timeout',
  'connect-failed',
  'tls',
  'timeout',
  'reset',
  'cut-short',
  'bad-response',
  'headers-too-large',
  'address-refused',
  'interrupted',
  'other',
)
export type FailureReason = t.TypeOf<typeof FailureReason>
