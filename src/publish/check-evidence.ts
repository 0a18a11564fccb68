/** Checks an evidence bundle against a policy: every byte of it but those of README.txt. */
import { commitTo, SALT_BYTES } from '../capture/commitment.ts'
import { E } from '../kernel/fp.ts'
import { formatInstant, instant, type Instant } from '../kernel/instant.ts'
import { decodeEntry, type DecodedEntry } from '../ledger/entry.ts'
import { isSimulated } from '../ledger/tlog/origin.ts'
import { CLOCK_TOLERANCE_MS } from '../ledger/tlog/witness-answer.ts'
import { isGrowth } from '../ledger/tlog/proof.ts'
import { type Bundle, FILE_NAMES, FILES } from './bundle.ts'
import { checkStamp, type Stamp } from './check-stamp.ts'
import { parsePolicy, type Policy } from './policy.ts'
import { parseGrowthProof } from './proof-file.ts'
import {
  checkEvent,
  type Checked,
  fault,
  headIn,
  orFault,
  type Proven,
  type SignedHead,
  textOf,
} from './proven.ts'

/** A head that was found good, and when witnesses say to have seen it: the earliest, RFC 3339. */
export type CheckedHead = { readonly size: number; readonly witnessed: string | null }

export type Evidence = {
  readonly position: number
  readonly origin: string
  readonly type: string
  readonly ts: string
  /** The newest head without the event, if the bundle has one, and the one with it. */
  readonly after: CheckedHead | null
  readonly before: CheckedHead
  readonly witnesses: readonly string[]
  /** A time stamp over a later head with the event in it: what it says, not whether it is genuine. */
  readonly stamp: Stamp | null
  readonly body: 'fits' | 'erased' | 'not in the bundle' | 'none kept'
  /** The event by which a person had the body erased, if the bundle proves one. */
  readonly erased: { readonly position: number; readonly ts: string; readonly basis: string } | null
}

const checkPolicy = (bundle: Bundle, { rules }: Policy): Checked<void> => {
  const text = bundle.has(FILES.policy) ? textOf(bundle, FILES.policy) : E.right(undefined)
  if (E.isLeft(text) || text.right === undefined) return E.map(() => undefined)(text)
  const parsed = orFault(FILES.policy)(parsePolicy(FILES.policy, text.right))
  if (E.isLeft(parsed)) return parsed
  const isPlain = text.right === parsed.right.rules.map((rule) => `${rule}\n`).join('')
  const known = new Set(rules)
  const other = parsed.right.rules.find((rule) => !known.has(rule))
  return isPlain && other === undefined
    ? E.right(undefined)
    : fault(
        FILES.policy,
        `it says what the policy you gave does not (${other ?? 'comments or blanks'}); find out which is right, and take this file out to check by yours alone`,
      )
}

/** The head from before the event, if the bundle has one; both files of it or none. */
const checkBefore = (
  bundle: Bundle,
  proven: Proven,
  policy: Policy,
): Checked<SignedHead | undefined> => {
  if (!bundle.has(FILES.before) && !bundle.has(FILES.growth)) return E.right(undefined)
  const [note, text] = [textOf(bundle, FILES.before), textOf(bundle, FILES.growth)]
  if (E.isLeft(note)) return note
  if (E.isLeft(text)) return text
  const growth = orFault(FILES.growth)(parseGrowthProof(text.right))
  if (E.isLeft(growth)) return growth
  const accepted = headIn(FILES.before, note.right, policy)
  if (E.isLeft(accepted)) return accepted
  const { head: older } = accepted.right
  const { head: newer } = proven.with
  if (older.origin !== newer.origin) return fault(FILES.before, 'it is of another log')
  if (older.size > proven.index) return fault(FILES.before, 'it covers the event already')
  if (growth.right.older !== older.size || growth.right.checkpoint !== proven.checkpoint)
    return fault(FILES.growth, 'it is not about the two heads of this bundle')
  return isGrowth({ older, newer, proof: growth.right.proof })
    ? accepted
    : fault(FILES.growth, 'the later head did not grow out of the earlier one')
}

type Told = Pick<Evidence, 'body' | 'erased'>

const checkBody = (
  bundle: Bundle,
  proven: Proven,
  decoded: DecodedEntry,
  policy: Policy,
): Checked<Told> => {
  const { event } = decoded
  const kept = event.type === 'ResponseReceived' && event.body.kept ? event.body : undefined
  const [bytes, salt] = [bundle.get(FILES.body), bundle.get(FILES.salt)]
  const isThere = bytes !== undefined || salt !== undefined
  if (bundle.has(FILES.erased) || bundle.has(FILES.erasedProof))
    return isThere
      ? fault(FILES.erased, 'it says that the body was erased, and the bundle has it')
      : checkErased(bundle, proven, kept?.commit, policy)
  if (!isThere)
    return E.right({ body: kept === undefined ? 'none kept' : 'not in the bundle', erased: null })
  return checkKept(kept, bytes, salt)
}

const checkKept = (
  kept: { readonly commit: string; readonly bytes: number } | undefined,
  bytes: Buffer | undefined,
  salt: Buffer | undefined,
): Checked<Told> => {
  if (kept === undefined) return fault(FILES.body, 'the event speaks of no kept body')
  if (bytes === undefined || salt?.length !== SALT_BYTES)
    return fault(FILES.salt, 'body and salt belong together, and a salt has 32 bytes')
  return bytes.length === kept.bytes && commitTo(bytes, salt) === kept.commit
    ? E.right({ body: 'fits', erased: null })
    : fault(FILES.body, 'it is not the body that the event commits to')
}

/** The erasure is an event of the same log, later than this one, and about this very body. */
const checkErased = (
  bundle: Bundle,
  proven: Proven,
  commit: string | undefined,
  policy: Policy,
): Checked<Told> => {
  const entry = bundle.get(FILES.erased)
  if (entry === undefined) return fault(FILES.erased, 'it is missing')
  const erasing = checkEvent(bundle, entry, policy, {
    event: FILES.erased,
    proof: FILES.erasedProof,
  })
  if (E.isLeft(erasing)) return erasing
  const decoded = orFault(FILES.erased)(decodeEntry(entry))
  if (E.isLeft(decoded)) return decoded
  const { event, envelope } = decoded.right
  const { index } = erasing.right
  const isOfIt =
    event.type === 'BodyErased' &&
    event.commit === commit &&
    event.response === proven.index + 1 &&
    index > proven.index &&
    erasing.right.with.head.origin === proven.with.head.origin
  if (!isOfIt) return fault(FILES.erased, 'it is not the erasure of the body of this event')
  const erased = { position: index + 1, ts: formatInstant(envelope.ts), basis: event.basis }
  return E.right({ body: 'erased', erased })
}

/** The earliest time at which a witness signed it, in milliseconds since 1970. */
export const witnessed = ({ signed }: SignedHead): number | undefined => {
  const times = signed.flatMap(({ time }) => (time === null ? [] : [time * 1_000]))
  return times.length === 0 ? undefined : Math.min(...times)
}

/** The time that the event gives must lie between those of the heads around it. */
const checkTime = (
  ts: Instant,
  before: SignedHead | undefined,
  after: SignedHead,
): Checked<void> => {
  const from = before === undefined ? undefined : witnessed(before)
  const to = witnessed(after)
  if (from !== undefined && ts < from - CLOCK_TOLERANCE_MS)
    return fault(
      FILES.event,
      'its time is earlier than that of a witnessed head without it: it was back-dated',
    )
  return to !== undefined && ts > to + CLOCK_TOLERANCE_MS
    ? fault(FILES.event, 'its time is later than that of a witnessed head with it')
    : E.right(undefined)
}

const headOf = (signed: SignedHead): CheckedHead => {
  const time = witnessed(signed)
  return {
    size: signed.head.size,
    witnessed: time === undefined ? null : formatInstant(instant(time)),
  }
}

/** What the bundle proves under `policy`, which is the checker's own; or why it proves nothing. */
export const checkEvidence = (bundle: Bundle, policy: Policy): Checked<Evidence> => {
  const stray = [...bundle.keys()].find((name) => !FILE_NAMES.includes(name))
  if (stray !== undefined)
    return fault(stray, 'it does not belong to a bundle; nothing vouches for it')
  const entry = bundle.get(FILES.event)
  if (entry === undefined) return fault(FILES.event, 'it is missing')
  const trusted = checkPolicy(bundle, policy)
  if (E.isLeft(trusted)) return trusted
  const proven = checkEvent(bundle, entry, policy)
  if (E.isLeft(proven)) return proven
  const older = checkBefore(bundle, proven.right, policy)
  if (E.isLeft(older)) return older
  const decoded = orFault(FILES.event)(decodeEntry(entry))
  if (E.isLeft(decoded)) return decoded
  // A rehearsal says in its name that its clock is simulated; its witnesses’ clocks are not.
  const timely = isSimulated(proven.right.with.head.origin)
    ? E.right(undefined)
    : checkTime(decoded.right.envelope.ts, older.right, proven.right.with)
  if (E.isLeft(timely)) return timely
  const body = checkBody(bundle, proven.right, decoded.right, policy)
  if (E.isLeft(body)) return body
  const { ts } = decoded.right.envelope
  const stamp = checkStamp(bundle, { entry, ts, proven: proven.right }, policy)
  if (E.isLeft(stamp)) return stamp
  const told = { ...body.right, stamp: stamp.right ?? null }
  return E.right(concluded(proven.right, older.right, decoded.right, told))
}

const concluded = (
  proven: Proven,
  older: SignedHead | undefined,
  decoded: DecodedEntry,
  told: Told & Pick<Evidence, 'stamp'>,
): Evidence => ({
  position: proven.index + 1,
  origin: proven.with.head.origin,
  type: decoded.event.type,
  ts: formatInstant(decoded.envelope.ts),
  after: older === undefined ? null : headOf(older),
  before: headOf(proven.with),
  witnesses: proven.with.signed.filter(({ time }) => time !== null).map(({ key }) => key.name),
  ...told,
})
