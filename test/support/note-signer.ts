/** Signers of notes with fixed keys: logs and witnesses as C2SP has them. */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { type KeyUse, type VerifierKey, verifierKey } from '../../src/ledger/tlog/key.ts'
import type { NoteSignature } from '../../src/ledger/tlog/note.ts'

export type NoteSigner = {
  readonly key: VerifierKey
  /** `time` in seconds, for a witness. */
  readonly sign: (text: string, time?: number) => NoteSignature
}

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The key whose seed is 32 times the byte `seed`. */
export const noteSigner = (name: string, use: KeyUse, seed: number): NoteSigner => {
  const der = Buffer.concat([PKCS8, Buffer.alloc(32, seed)])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  const key = verifierKey(name, use, spki.subarray(-32))
  const { id } = key
  return {
    key,
    sign: (text, time = 0) => {
      if (use === 'log') return { name, id, signature: sign(null, Buffer.from(text), privateKey) }
      const when = Buffer.alloc(8)
      when.writeBigUInt64BE(BigInt(time))
      const message = Buffer.from(`cosignature/v1\ntime ${time}\n${text}`)
      return { name, id, signature: Buffer.concat([when, sign(null, message, privateKey)]) }
    },
  }
}
