/** An entry with its proof and signed head, as files of a bundle: what every check of it begins with. */
import { describeParseFailure, type ParseFailure } from '../kernel/codec.ts'
import { E, type Either } from '../kernel/fp.ts'
import { leafHash } from '../ledger/entry.ts'
import { type Head, parseHead, type Signed, signersOf } from '../ledger/tlog/head.ts'
import { isIncluded } from '../ledger/tlog/proof.ts'
import { type Bundle, FILES } from './bundle.ts'
import { isQuorum, keysOf, type Policy } from './policy.ts'
import { parseEntryProof } from './proof-file.ts'

/** Why a bundle proves nothing: in which file, and what. */
export type EvidenceFault = {
  readonly tag: 'EvidenceFault'
  readonly file: string
  readonly because: string
}

export type Checked<A> = Either<EvidenceFault, A>

export const fault = (file: string, because: string): Either<EvidenceFault, never> =>
  E.left({ tag: 'EvidenceFault', file, because })

export const orFault =
  (file: string) =>
  <A>(parsed: Either<ParseFailure, A>): Checked<A> =>
    E.isLeft(parsed) ? fault(file, describeParseFailure(parsed.left)) : parsed

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export const textOf = (bundle: Bundle, file: string): Checked<string> => {
  const bytes = bundle.get(file)
  if (bytes === undefined) return fault(file, 'it is missing')
  try {
    return E.right(utf8.decode(bytes))
  } catch {
    return fault(file, 'it is not UTF-8')
  }
}

export type SignedHead = { readonly head: Head; readonly signed: readonly Signed[] }

/** A checkpoint that the policy accepts, and in which nothing stands that nobody vouches for. */
export const headIn = (file: string, checkpoint: string, policy: Policy): Checked<SignedHead> => {
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

export type Proven = {
  readonly index: number
  readonly checkpoint: string
  readonly with: SignedHead
}

type ProofFiles = { readonly event: string; readonly proof: string }

export const checkEvent = (
  bundle: Bundle,
  entry: Buffer,
  policy: Policy,
  files: ProofFiles = FILES,
): Checked<Proven> => {
  const text = textOf(bundle, files.proof)
  if (E.isLeft(text)) return text
  const parsed = orFault(files.proof)(parseEntryProof(text.right, files.proof))
  if (E.isLeft(parsed)) return parsed
  const { index, proof, checkpoint } = parsed.right
  const accepted = headIn(files.proof, checkpoint, policy)
  if (E.isLeft(accepted)) return accepted
  const { size, root } = accepted.right.head
  return isIncluded({ leaf: leafHash(entry), index, size, root, proof })
    ? E.right({ index, checkpoint, with: accepted.right })
    : fault(files.event, 'these bytes are not in the log at this place')
}
