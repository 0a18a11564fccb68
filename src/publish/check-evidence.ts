/** Checks an evidence bundle against a policy: every byte of it but those of README.txt. */
import { commitTo, SALT_BYTES } from '../capture/commitment.ts'
import { describeParseFailure, type ParseFailure } from '../kernel/codec.ts'
import { E, type Either } from '../kernel/fp.ts'
import { formatInstant, instant, type Instant } from '../kernel/instant.ts'
import { decodeEntry, type DecodedEntry, leafHash } from '../ledger/entry.ts'
import { type Head, parseHead, type Signed, signersOf } from '../ledger/tlog/head.ts'
import { isGrowth, isIncluded } from '../ledger/tlog/proof.ts'
import { type Bundle, FILE_NAMES, FILES } from './bundle.ts'
import { isQuorum, keysOf, parsePolicy, type Policy } from './policy.ts'
import { parseEntryProof, parseGrowthProof } from './proof-file.ts'

/** Why a bundle proves nothing: in which file, and what. */
export type EvidenceFault = {
  readonly tag: 'EvidenceFault'
  readonly file: string
  readonly because: string
}

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
  readonly body: 'fits' | 'not in the bundle' | 'none kept'
}

type Checked<A> = Either<EvidenceFault, A>

const fault = (file: string, because: string): Either<EvidenceFault, never> =>
  E.left({ tag: 'EvidenceFault', file, because })

const orFault =
  (file: string) =>
  <A>(parsed: Either<ParseFailure, A>): Checked<A> =>
    E.isLeft(parsed) ? fault(file, describeParseFailure(parsed.left)) : parsed

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const textOf = (bundle: Bundle, file: string): Checked<string> => {
  const bytes = bundle.get(file)
  if (bytes === undefined) return fault(file, 'it is missing')
  try {
    return E.right(utf8.decode(bytes))
  } catch {
    return fault(file, 'it is not UTF-8')
  }
}

type SignedHead = { readonly head: Head; readonly signed: readonly Signed[] }

/** A checkpoint that the policy accepts, and in which nothing stands that nobody vouches for. */
const headIn = (file: string, checkpoint: string, policy: Policy): Checked<SignedHead> => {
  const head = orFault(file)(parseHead(checkpoint))
  if (E.isLeft(head)) return head
  const { note, origin } = head.right
  const signed = orFault(file)(signersOf(note, keysOf(policy)))
  if (E.isLeft(signed)) return signed
  const keys = signed.right.map(({ key }) => key)
  if (keys.length < note.signatures.length)
    return fault(file, 'it carries a signature by a key that is not in the policy')
  if (!keys.some((key) => key.use === 'log' && key.name === origin))
    return fault(file, 'it is not signed by a log of the policy')
  if (!isQuorum(policy, keys)) return fault(file, 'too few witnesses of the policy have signed it')
  return E.right({ head: head.right, signed: signed.right })
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

type Proven = { readonly index: number; readonly checkpoint: string; readonly with: SignedHead }

const checkEvent = (bundle: Bundle, entry: Buffer, policy: Policy): Checked<Proven> => {
  const text = textOf(bundle, FILES.proof)
  if (E.isLeft(text)) return text
  const parsed = orFault(FILES.proof)(parseEntryProof(text.right))
  if (E.isLeft(parsed)) return parsed
  const { index, proof, checkpoint } = parsed.right
  const accepted = headIn(FILES.proof, checkpoint, policy)
  if (E.isLeft(accepted)) return accepted
  const { size, root } = accepted.right.head
  return isIncluded({ leaf: leafHash(entry), index, size, root, proof })
    ? E.right({ index, checkpoint, with: accepted.right })
    : fault(FILES.event, 'these bytes are not in the log at this place')
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

const checkBody = (bundle: Bundle, decoded: DecodedEntry): Checked<Evidence['body']> => {
  const { event } = decoded
  const kept = event.type === 'ResponseReceived' && event.body.kept ? event.body : undefined
  const [bytes, salt] = [bundle.get(FILES.body), bundle.get(FILES.salt)]
  if (bytes === undefined && salt === undefined)
    return E.right(kept === undefined ? 'none kept' : 'not in the bundle')
  if (kept === undefined) return fault(FILES.body, 'the event speaks of no kept body')
  if (bytes === undefined || salt?.length !== SALT_BYTES)
    return fault(FILES.salt, 'body and salt belong together, and a salt has 32 bytes')
  return bytes.length === kept.bytes && commitTo(bytes, salt) === kept.commit
    ? E.right('fits')
    : fault(FILES.body, 'it is not the body that the event commits to')
}

/** A witness may see a head so much later than it was signed, and clocks differ. */
const TOLERANCE_MS = 60_000

const witnessed = ({ signed }: SignedHead): number | undefined => {
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
  if (from !== undefined && ts < from - TOLERANCE_MS)
    return fault(
      FILES.event,
      'its time is earlier than that of a witnessed head without it: it was back-dated',
    )
  return to !== undefined && ts > to + TOLERANCE_MS
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
  return concluded(bundle, proven.right, older.right, decoded.right)
}

const concluded = (
  bundle: Bundle,
  proven: Proven,
  older: SignedHead | undefined,
  decoded: DecodedEntry,
): Checked<Evidence> => {
  const timely = checkTime(decoded.envelope.ts, older, proven.with)
  if (E.isLeft(timely)) return timely
  const witnesses = proven.with.signed
    .filter(({ time }) => time !== null)
    .map(({ key }) => key.name)
  return E.map((body: Evidence['body']) => ({
    position: proven.index + 1,
    origin: proven.with.head.origin,
    type: decoded.event.type,
    ts: formatInstant(decoded.envelope.ts),
    after: older === undefined ? null : headOf(older),
    before: headOf(proven.with),
    witnesses,
    body,
  }))(checkBody(bundle, decoded))
}
