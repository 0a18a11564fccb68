import { hash } from 'node:crypto'
import { t } from './codec.ts'

interface DigestBrand {
  readonly Digest: unique symbol
}
/** A SHA-256 digest as 64 lower-case hexadecimal digits. */
export type Digest = string & t.Branded<string, DigestBrand>

export const Digest: t.Type<Digest, string> = t.brand(
  t.string,
  (s): s is Digest => /^[0-9a-f]{64}$/.test(s),
  'Digest',
)

// `hash` always answers 64 lower-case hex digits, which is all the brand claims.
export const sha256Hex = (bytes: Uint8Array | string): Digest =>
  hash('sha256', bytes, 'hex') as Digest

export const sha256 = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer')
