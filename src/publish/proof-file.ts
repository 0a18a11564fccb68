/** The two proof files: C2SP tlog-proof for one entry, and the growth between two heads. */
import { type ParseFailure, parseFailure } from '../kernel/codec.ts'
import { E, type Either } from '../kernel/fp.ts'
import { hashFromBase64 } from '../ledger/tlog/base64.ts'

const FORMAT = 'c2sp.org/tlog-proof@v1'
/** A tree of 2^53 entries is 53 nodes high; a proof of growth may have one more. */
const HASHES_MAX = 60
const NUMBER = /^(?:0|[1-9]\d{0,15})$/

const hashLines = (hashes: readonly Buffer[]): string =>
  hashes.map((hash) => `${hash.toString('base64')}\n`).join('')

/** What both files are: first lines, hashes, a blank line, and a checkpoint as it is. */
type ProofFile = {
  readonly number: number
  readonly proof: readonly Buffer[]
  /** The checkpoint, a signed note. */
  readonly checkpoint: string
}

const parseFile = (what: string, text: string, prefix: string): Either<ParseFailure, ProofFile> => {
  const refused = (expected: string) => E.left(parseFailure(what, expected))
  const blank = text.indexOf('\n\n')
  if (blank < 0 || !text.startsWith(prefix)) return refused(`${JSON.stringify(prefix)} …`)
  const [decimal = '', ...lines] = text.slice(prefix.length, blank).split('\n')
  const number = NUMBER.test(decimal) ? Number(decimal) : Number.NaN
  if (!Number.isSafeInteger(number)) return refused('a number in decimal')
  const proof = lines.map(hashFromBase64).filter((hash) => hash !== undefined)
  if (proof.length !== lines.length || proof.length > HASHES_MAX)
    return refused('hashes in base64, one a line')
  return E.right({ number, proof, checkpoint: text.slice(blank + 2) })
}

export type EntryProof = {
  readonly index: number
  readonly proof: readonly Buffer[]
  readonly checkpoint: string
}

/** C2SP tlog-proof. */
export const formatEntryProof = ({ index, proof, checkpoint }: EntryProof): string =>
  `${FORMAT}\nindex ${index}\n${hashLines(proof)}\n${checkpoint}`

/** Refuses `extra` lines too: nothing vouches for them. */
export const parseEntryProof = (
  text: string,
  file = 'event.tlog-proof',
): Either<ParseFailure, EntryProof> =>
  E.map(({ number, ...rest }: ProofFile) => ({ index: number, ...rest }))(
    parseFile(file, text, `${FORMAT}\nindex `),
  )

export type GrowthProof = {
  /** The size of the older tree. */
  readonly older: number
  readonly proof: readonly Buffer[]
  /** The newer checkpoint. */
  readonly checkpoint: string
}

/** The body of C2SP tlog-witness add-checkpoint, here as a file. */
export const formatGrowthProof = ({ older, proof, checkpoint }: GrowthProof): string =>
  `old ${older}\n${hashLines(proof)}\n${checkpoint}`

export const parseGrowthProof = (text: string): Either<ParseFailure, GrowthProof> =>
  E.map(({ number, ...rest }: ProofFile) => ({ older: number, ...rest }))(
    parseFile('consistency.txt', text, 'old '),
  )
