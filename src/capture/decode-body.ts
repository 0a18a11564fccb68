/**
 * Undoes a body's content coding (RFC 9110 §8.4). Bodies are kept as they came off the wire; readers
 * ask here, with a cap on what may come out, so that a small bomb cannot fill the memory.
 */
import {
  brotliDecompressSync,
  constants,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib'
import { E, type Either } from '../kernel/fp.ts'
import type { Header } from '../kernel/words.ts'
import { headerValues } from './headers.ts'

export type DecodeFailure = 'undecodable' | 'too-large'

/** More codings on top of each other than this are an attack, not a file. */
const CODINGS_MAX = 3

type Coder = (bytes: Buffer, maxOutputLength: number) => Buffer

/** §8.4.1.2 note: some servers send bare deflate data without the zlib wrapper. */
const inflate: Coder = (bytes, maxOutputLength) =>
  ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0
    ? inflateSync(bytes, { maxOutputLength })
    : inflateRawSync(bytes, { maxOutputLength })

const gunzip: Coder = (bytes, maxOutputLength) => gunzipSync(bytes, { maxOutputLength })

const CODERS: ReadonlyMap<string, Coder> = new Map<string, Coder>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', inflate],
  ['br', (bytes, maxOutputLength) => brotliDecompressSync(bytes, { maxOutputLength })],
  [
    'zstd',
    (bytes, maxOutputLength) =>
      zstdDecompressSync(bytes, {
        maxOutputLength,
        // RFC 9659 §3: a window of at most 8 MiB (2^23); a frame may ask for far more memory.
        params: { [constants.ZSTD_d_windowLogMax]: 23 },
      }),
  ],
])

/** Codings in the order in which they were applied, `identity` left out. */
const codingsOf = (headers: readonly Header[]): readonly string[] =>
  headerValues(headers, 'content-encoding')
    .flatMap((value) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')

const undo = (bytes: Buffer, coding: string, maxBytes: number): Either<DecodeFailure, Buffer> => {
  const coder = CODERS.get(coding)
  if (coder === undefined) return E.left('undecodable')
  try {
    // zlib wants room for at least one byte; the cap itself is checked at the end.
    return E.right(coder(bytes, Math.max(1, maxBytes)))
  } catch (error) {
    const tooLarge = error instanceof RangeError && 'code' in error
    return E.left(tooLarge && error.code === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : 'undecodable')
  }
}

/**
 * The body behind its Content-Encoding, at most `maxBytes` long. An empty body is empty whatever
 * the header says (RFC 9110 §15.4.5 lets a 304 carry it). Data after a gzip member's end is ignored.
 */
export const decodeBody = (
  body: Buffer,
  headers: readonly Header[],
  maxBytes: number,
): Either<DecodeFailure, Buffer> => {
  const codings = codingsOf(headers)
  if (codings.length > CODINGS_MAX) return E.left('undecodable')
  let bytes = body
  for (const coding of codings.toReversed()) {
    if (bytes.length === 0) return E.right(bytes)
    const undone = undo(bytes, coding, maxBytes)
    if (E.isLeft(undone)) return undone
    bytes = undone.right
  }
  return bytes.length > maxBytes ? E.left('too-large') : E.right(bytes)
}
