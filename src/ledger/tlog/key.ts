/** Keys of logs and witnesses as C2SP signed-note writes them: `name+id+base64(algorithm ‖ key)`. */
import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { type ParseFailure, parseFailure } from '../../kernel/codec.ts'
import { sha256 } from '../../kernel/digest.ts'
import { E, type Either } from '../../kernel/fp.ts'
import { fromBase64 } from './base64.ts'

/** A log signs with Ed25519 (0x01), a witness with a timestamped Ed25519 cosignature (0x04). */
export const ALGORITHM = { log: 1, witness: 4 } as const
export type KeyUse = keyof typeof ALGORITHM

export type VerifierKey = {
  readonly name: string
  /** Eight hexadecimal digits. */
  readonly id: string
  readonly use: KeyUse
  /** 32 bytes. */
  readonly publicKey: Buffer
  /** The key as one word. */
  readonly vkey: string
}

const KEY_BYTES = 32
const NAME_MAX = 200

/** What may name a key, and so a log: something without blanks, controls and `+`. */
export const isKeyName = (name: string): boolean =>
  name.length > 0 && name.length <= NAME_MAX && /^[^\s\p{C}+]+$/u.test(name)

const keyId = (name: string, typed: Buffer): string =>
  sha256(Buffer.concat([Buffer.from(`${name}\n`), typed])).toString('hex', 0, 4)

/** The key under the name it signs by. `publicKey` is 32 bytes. */
export const verifierKey = (name: string, use: KeyUse, publicKey: Buffer): VerifierKey => {
  const typed = Buffer.concat([Buffer.of(ALGORITHM[use]), publicKey])
  const id = keyId(name, typed)
  return { name, id, use, publicKey, vkey: `${name}+${id}+${typed.toString('base64')}` }
}

const USES: ReadonlyMap<number | undefined, KeyUse> = new Map([
  [ALGORITHM.log, 'log'],
  [ALGORITHM.witness, 'witness'],
])

/** Reads a vkey; what it gives prints back as the same word. */
export const parseVerifierKey = (vkey: string): Either<ParseFailure, VerifierKey> => {
  const refused = (expected: string) => E.left(parseFailure('key', expected))
  const [name = '', id = '', ...rest] = vkey.split('+')
  const typed = fromBase64(rest.join('+'))
  if (!isKeyName(name) || !/^[0-9a-f]{8}$/.test(id) || typed === undefined)
    return refused('NAME+ID+KEY, as `crawl-ledger keys` prints it')
  const use = USES.get(typed[0])
  if (use === undefined || typed.length !== 1 + KEY_BYTES)
    return refused('an Ed25519 key of a log (0x01) or a witness (0x04)')
  const key = verifierKey(name, use, typed.subarray(1))
  return key.id === id ? E.right(key) : refused('an id that belongs to this name and key')
}

/** RFC 8410: what stands before the 32 bytes of an Ed25519 key in DER. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

const keyObject = ({ publicKey }: VerifierKey): KeyObject =>
  createPublicKey({
    key: Buffer.concat([SPKI_PREFIX, publicKey]),
    format: 'der',
    type: 'spki',
  })

/** Whether `signature` (64 bytes) is this key's over `message`. */
export const isSignedBy = (key: VerifierKey, message: Buffer, signature: Buffer): boolean =>
  verify(null, message, keyObject(key), signature)
