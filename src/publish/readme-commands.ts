/** The commands of a README: what a POSIX shell and openssl need to check a bundle by hand. */
import { E } from '../kernel/fp.ts'
import { formatInstant, instant } from '../kernel/instant.ts'
import { type Head, signersOf } from '../ledger/tlog/head.ts'
import type { VerifierKey } from '../ledger/tlog/key.ts'
import { isBy } from '../ledger/tlog/note.ts'
import { inclusionSides, type Side } from '../ledger/tlog/proof.ts'

/** An event and the head it is in. */
export type Proven = {
  readonly position: number
  readonly about: string
  readonly head: Head
  readonly proof: readonly Buffer[]
}

export const command = (...lines: readonly string[]): string =>
  lines.map((l) => `    ${l}\n`).join('')

const SHA256 = 'openssl dgst -sha256 -binary'
export const DECODE = 'openssl base64 -d -A'
/** RFC 8410: what stands before the 32 bytes of an Ed25519 key in DER, in octal for printf. */
const DER = String.raw`\060\052\060\005\006\003\053\145\160\003\041\000`

/** One word of a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

export const verdict = (test: string, what: string): string =>
  `if ${test}; then echo "OK: ${what}"; else echo "FALSE: ${what}"; fi`

/** The line of the first signature by one of the log's keys, and that key. */
const signatureIn = ({ note }: Head, keys: readonly VerifierKey[]) => {
  const lines = note.text.split('\n').length
  for (const [i, signature] of note.signatures.entries()) {
    const key = keys.find((known) => isBy(signature, known))
    if (key !== undefined) return { key, line: lines + 1 + i }
  }
  return undefined
}

export const checkSignature = (
  file: string,
  head: Head,
  keys: readonly VerifierKey[],
  what: string,
): string => {
  const found = signatureIn(head, keys)
  if (found === undefined) return command(`echo "FALSE: ${what} is not signed by the log"`)
  return checkLine(file, found, `head -n 3 ${file}`, what)
}

/** A line of signatures, the first being line 1 of the file, and whose it is. */
type Line = { readonly key: VerifierKey; readonly line: number }

const checkLine = (file: string, { key, line }: Line, signed: string, what: string): string =>
  command(
    `KEY=${quoted(key.vkey)}`,
    `{ printf '${DER}'; printf '%s' "$KEY" | cut -d+ -f3- | ${DECODE} | tail -c 32; } > "$W/key"`,
    `${signed} > "$W/text"`,
    `sed -n '${line}p' ${file} | sed 's/.* //' | ${DECODE} | tail -c 64 > "$W/signature"`,
    `openssl pkey -pubin -inform DER -in "$W/key" -out "$W/key.pem"`,
    verdict(
      'openssl pkeyutl -verify -pubin -inkey "$W/key.pem" -rawin -in "$W/text" -sigfile "$W/signature" > "$W/said"',
      what,
    ),
  )

/** What each witness signed of the head: its time, then the text. Nothing if none did. */
export const checkCosignatures = (
  file: string,
  head: Head,
  witnesses: readonly VerifierKey[],
): string => {
  const signed = signersOf(head.note, witnesses)
  const all = E.isRight(signed) ? signed.right : []
  return all
    .map(({ key, time }) => {
      const found = signatureIn(head, [key])
      if (found === undefined || time === null) return ''
      const at = formatInstant(instant(time * 1_000))
      return checkLine(
        file,
        found,
        `{ printf 'cosignature/v1\\ntime ${time}\\n'; head -n 3 ${file}; }`,
        `the witness ${plain(key.name)} had seen the head of ${head.size} entries at ${at}`,
      )
    })
    .join('')
}

/** A name that a shell prints as it is, between double quotes. */
const plain = (name: string): string => name.replaceAll(/[^\w./:-]/gu, '_')

/** Puts together a node of the tree out of the hash in `name` and line `line` of `file`. */
export const join = (name: string, file: string, line: number, side: Side): string => {
  const sibling = `sed -n '${line}p' ${file} | ${DECODE}`
  const parts = side === 'left' ? `${sibling}; cat "$W/${name}"` : `cat "$W/${name}"; ${sibling}`
  return `{ printf '\\001'; ${parts}; } | ${SHA256} > "$W/next"; mv "$W/next" "$W/${name}"`
}

export const isRoot = (name: string, checkpoint: string): string =>
  `[ "$(openssl base64 -A -in "$W/${name}")" = "$(sed -n 3p ${checkpoint})" ]`

/** In the proof file the hashes begin on line 3, in the file of growth on line 2. */
const PROOF_FROM = 3
export const GROWTH_FROM = 2

export type ProofFiles = { readonly event: string; readonly proof: string; readonly what: string }

export const inclusion = (
  { position, head, proof }: Pick<Proven, 'position' | 'head' | 'proof'>,
  files: ProofFiles,
): string => {
  const sides = inclusionSides({ index: position - 1, size: head.size }, proof.length) ?? []
  return command(
    `{ printf '\\000'; cat ${files.event}; } | ${SHA256} > "$W/hash"`,
    ...sides.map((side, i) => join('hash', files.proof, PROOF_FROM + i, side)),
    verdict(isRoot('hash', '"$W/checkpoint"'), files.what),
  )
}
