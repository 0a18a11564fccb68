/**
 * The time stamp of a bundle: a later head with the event in it, and the event that holds what an
 * authority replied about that head. Both are in the log, so every bit of them counts.
 */
import { sha256Hex } from '../kernel/digest.ts'
import { E } from '../kernel/fp.ts'
import type { Instant } from '../kernel/instant.ts'
import { decodeEntry } from '../ledger/entry.ts'
import { fromBase64 } from '../ledger/tlog/base64.ts'
import { headText } from '../ledger/tlog/head.ts'
import { isSimulated } from '../ledger/tlog/origin.ts'
import type { StampedText } from '../ledger/tlog/port.ts'
import { CLOCK_TOLERANCE_MS } from '../ledger/tlog/witness-answer.ts'
import { type Bundle, FILES } from './bundle.ts'
import type { Policy } from './policy.ts'
import { type Checked, checkEvent, fault, orFault, type Proven } from './proven.ts'
import { parseTimestamp } from './timestamp.ts'

/** What is stamped, for openssl to judge, and how many entries its head covers. */
export type Stamp = StampedText & { readonly size: number }

type StampedEvent = {
  readonly entry: Buffer
  readonly ts: Instant
  readonly proven: Proven
}

/**
 * All of a stamp that can be checked without knowing the authority: the head covers the event, the
 * reply is about that head, and the event is not later than it. undefined: the bundle has none.
 */
export const checkStamp = (
  bundle: Bundle,
  event: StampedEvent,
  policy: Policy,
): Checked<Stamp | undefined> => {
  const parts = [FILES.stamped, FILES.stamp, FILES.stampProof]
  if (!parts.some((file) => bundle.has(file))) return E.right(undefined)
  const { index, with: own } = event.proven
  const files = { event: FILES.event, proof: FILES.stamped }
  const stamped = checkEvent(bundle, event.entry, policy, files)
  if (E.isLeft(stamped)) return stamped
  const { head } = stamped.right.with
  if (stamped.right.index !== index || head.origin !== own.head.origin)
    return fault(FILES.stamped, 'it is about another event')
  const reply = checkReply(bundle, policy, own.head.origin)
  if (E.isLeft(reply)) return reply
  const text = headText(head)
  const { size, digest, time } = reply.right
  if (size !== head.size || digest !== sha256Hex(text))
    return fault(FILES.stamp, `it is not about the head in ${FILES.stamped}`)
  // A rehearsal says in its name that its clock is simulated; the authority’s is not.
  if (!isSimulated(head.origin) && event.ts > time + CLOCK_TOLERANCE_MS)
    return fault(FILES.event, 'its time is later than that of a stamped head with it')
  return E.right({ text, reply: reply.right.reply, time, size })
}

/** The recorded reply: an event of the same log that says of its own reply what is in it. */
const checkReply = (bundle: Bundle, policy: Policy, origin: string) => {
  const entry = bundle.get(FILES.stamp)
  if (entry === undefined) return fault(FILES.stamp, 'it is missing')
  const files = { event: FILES.stamp, proof: FILES.stampProof }
  const proven = checkEvent(bundle, entry, policy, files)
  if (E.isLeft(proven)) return proven
  const decoded = orFault(FILES.stamp)(decodeEntry(entry))
  if (E.isLeft(decoded)) return decoded
  const { event } = decoded.right
  if (event.type !== 'HeadTimestamped' || proven.right.with.head.origin !== origin)
    return fault(FILES.stamp, 'it is no time stamp of this log')
  const reply = fromBase64(event.reply)
  if (reply === undefined) return fault(FILES.stamp, 'its reply is not in base64')
  const parsed = orFault(FILES.stamp)(parseTimestamp(FILES.stamp, reply))
  if (E.isLeft(parsed)) return parsed
  const { time, digest } = parsed.right
  return time === event.time && digest.toString('hex') === event.digest
    ? E.right({ size: event.size, digest: event.digest, time, reply })
    : fault(FILES.stamp, 'its reply says something else')
}
