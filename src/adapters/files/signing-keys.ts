/**
 * The log's keys as files of one directory: `1.pem`, the private key (PKCS #8, readable by its owner
 * only), and `1.vkey`, the public one; then 2, 3, … after each rotation. A retired key keeps only
 * its public file, so that old heads can be checked for ever.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { E, type Either } from '../../kernel/fp.ts'
import type { Unavailable } from '../../ledger/port.ts'
import { parseVerifierKey, type VerifierKey, verifierKey } from '../../ledger/tlog/key.ts'
import type { SigningKey, SigningKeys } from '../../ledger/tlog/port.ts'
import { readIfThere, removeDurably, writeDurably } from './durable-file.ts'

type Found<A> = Either<Unavailable, A>

const KEY_BYTES = 32
const OTHERS = 0o077

const unavailable = (because: string): Either<Unavailable, never> =>
  E.left({ tag: 'Unavailable', because })

export const fileSigningKeys = (directory: string): SigningKeys => {
  const filesOf = (number: number): KeyFiles => ({
    pem: join(directory, `${number}.pem`),
    vkey: join(directory, `${number}.vkey`),
  })
  const list = async (origin: string): Promise<Found<readonly SigningKey[]>> => {
    const keys: SigningKey[] = []
    for (;;) {
      const found = await readKey(origin, filesOf(keys.length + 1))
      if (E.isLeft(found)) return found
      if (found.right === undefined) return E.right(keys)
      keys.push(found.right)
    }
  }
  return {
    list: (origin) => () => list(origin),
    create: (origin) => async () => {
      const before = await list(origin)
      if (E.isLeft(before)) return before
      const { pem, vkey } = filesOf(before.right.length + 1)
      const { privateKey } = generateKeyPairSync('ed25519')
      const key = signingKey(origin, privateKey)
      const kept = await writeDurably(pem, privateKey.export({ type: 'pkcs8', format: 'pem' }))()
      if (E.isLeft(kept)) return kept
      return E.map(() => key)(await tell(vkey, key)())
    },
    retireBefore: (origin, count) => async () => {
      const all = await list(origin)
      if (E.isLeft(all)) return all
      for (const [i, key] of all.right.slice(0, count - 1).entries()) {
        const retired = key.sign === undefined ? all : await retire(filesOf(i + 1), key)
        if (E.isLeft(retired)) return retired
      }
      return E.right(undefined)
    },
  }
}

type KeyFiles = { readonly pem: string; readonly vkey: string }

const tell = (vkey: string, { key }: SigningKey) =>
  writeDurably(vkey, `${key.vkey}\n`, { mode: 0o644 })

/** Its public half first: whoever made the key may have ended before it was written. */
const retire = async (files: KeyFiles, key: SigningKey): Promise<Found<void>> => {
  const told = await tell(files.vkey, key)()
  return E.isLeft(told) ? told : removeDurably(files.pem)()
}

const signingKey = (origin: string, privateKey: KeyObject): SigningKey => {
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  return {
    key: verifierKey(origin, 'log', spki.subarray(-KEY_BYTES)),
    sign: (message) => sign(null, message, privateKey),
  }
}

const readKey = async (origin: string, files: KeyFiles): Promise<Found<SigningKey | undefined>> => {
  const vkey = await readIfThere(files.vkey)()
  if (E.isLeft(vkey)) return vkey
  const told = E.map((key: VerifierKey | undefined) => key && { key, sign: undefined })(
    vkey.right === undefined
      ? E.right(undefined)
      : keyIn(origin, files.vkey, vkey.right.toString('utf8')),
  )
  const pem = await readIfThere(files.pem)()
  if (E.isLeft(pem)) return pem
  if (E.isLeft(told) || pem.right === undefined) return told
  const own = await privateKeyIn(origin, files.pem, pem.right)
  return E.isRight(own) && told.right !== undefined && told.right.key.vkey !== own.right.key.vkey
    ? unavailable(`${files.pem} is not the private key of ${files.vkey}`)
    : own
}

const keyIn = (origin: string, file: string, text: string): Found<VerifierKey> => {
  const key = parseVerifierKey(text.trimEnd())
  if (E.isLeft(key) || key.right.use !== 'log') return unavailable(`${file} holds no key of a log`)
  return key.right.name === origin
    ? key
    : unavailable(`${file} is a key of the log ${key.right.name}, not of ${origin}`)
}

const privateKeyIn = async (
  origin: string,
  file: string,
  pem: Buffer,
): Promise<Found<SigningKey>> => {
  const { mode } = await stat(file)
  if ((mode & OTHERS) !== 0)
    return unavailable(`${file} can be read by others: chmod 600 it, and ask who did`)
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return E.right(signingKey(origin, key))
  } catch {
    // Said below: the reason would quote what the file holds.
  }
  return unavailable(`${file} holds no Ed25519 key: restore it from a backup`)
}
