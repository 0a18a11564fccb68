import { isUtf8 } from 'node:buffer'

/** What can be odd about the bytes of a text file. */
export type Oddity = 'byte-order-mark' | 'utf-16' | 'not-utf-8' | 'binary'

/** The bytes of a file as text, with what was odd about them. `text` is undefined if they are none. */
export type FileText = {
  readonly text: string | undefined
  readonly oddities: readonly Oddity[]
}

const decode = (encoding: string, bytes: Uint8Array): string =>
  new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes)

/**
 * Reads bytes as text: UTF-16 by its mark or by its zeros, else UTF-8 (ads.txt 1.1 §3.1 advises it,
 * RFC 8259 §8.1 asks for it), else windows-1252, which every byte sequence is. A byte-order mark is taken off and named.
 */
export const readFileText = (bytes: Uint8Array): FileText => {
  const utf16 = utf16Of(bytes)
  if (utf16 !== undefined) {
    const text = decode(utf16, bytes)
    return { text: text.startsWith('\uFEFF') ? text.slice(1) : text, oddities: ['utf-16'] }
  }
  if (isBinary(bytes)) return { text: undefined, oddities: ['binary'] }
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  const rest = marked ? bytes.subarray(3) : bytes
  const mark: readonly Oddity[] = marked ? ['byte-order-mark'] : []
  return isUtf8(rest)
    ? { text: decode('utf-8', rest), oddities: mark }
    : { text: decode('windows-1252', rest), oddities: [...mark, 'not-utf-8'] }
}

/** How much of a file is looked at to guess what it is. */
const SAMPLE_BYTES = 1_024

const utf16Of = (bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const sample = bytes.subarray(0, SAMPLE_BYTES - (SAMPLE_BYTES % 2))
  const even = zeroShare(sample, 0)
  const odd = zeroShare(sample, 1)
  // Latin text in UTF-16 has a zero in every pair, always on the same side.
  if (odd > 0.7 && even < 0.1) return 'utf-16le'
  return even > 0.7 && odd < 0.1 ? 'utf-16be' : undefined
}

/** How many of the bytes at even (0) or odd (1) places are zero; nothing is said of a few bytes. */
const zeroShare = (sample: Uint8Array, side: 0 | 1): number => {
  if (sample.length < 8) return 0
  const bytes = sample.filter((_, index) => index % 2 === side)
  return bytes.filter((byte) => byte === 0).length / bytes.length
}

/** Images, archives and the like: more than a tenth control characters that no text has. */
const isBinary = (bytes: Uint8Array): boolean => {
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  let odd = 0
  for (const byte of sample) if (byte < 0x20 && (byte < 0x09 || byte > 0x0d)) odd += 1
  return odd * 10 > sample.length
}
