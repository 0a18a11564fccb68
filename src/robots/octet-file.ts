import { isUtf8 } from 'node:buffer'
import type { IssueCode } from './issue.ts'

/** RFC 9309 §2.5: at least 500 KiB must be read. More than that is not. */
export const FILE_OCTETS_MAX = 512_000

export type OctetFile = {
  /** One character per octet, cut at the last line end within the limit. */
  readonly octets: string
  /** It is UTF-8 throughout, so that no line needs to be looked at. */
  readonly isUtf8: boolean
  readonly truncated: boolean
  readonly issues: readonly IssueCode[]
}

/**
 * The octets to read: UTF-16 brought to UTF-8, the byte-order mark skipped, the size bounded, and
 * the tags of a file wrapped in markup left out, so that the rules in it are still kept.
 */
export const octetFile = (bytes: Uint8Array): OctetFile => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const utf8 = fromUtf16(buffer)
  const all = utf8 ?? buffer
  const truncated = all.length > FILE_OCTETS_MAX
  const kept = cutAtLine(all).subarray(markLength(all))
  const octets = kept.toString('latin1')
  const html = /^[ \t\r\n]{0,100}<[a-z!?]/i.test(octets)
  const issues: IssueCode[] = []
  if (truncated) issues.push('truncated')
  if (utf8 !== undefined) issues.push('utf-16')
  if (html) issues.push('html')
  return {
    octets: html ? octets.replace(/<[^<>\r\n]*>/g, '') : octets,
    isUtf8: isUtf8(kept),
    truncated,
    issues,
  }
}

/**
 * A file that begins with a UTF-16 byte-order mark, as UTF-8; RFC 9309 §2.2.2 lets a crawler bridge
 * encodings. Only as much as can count is brought over: no character is shorter in UTF-8 than
 * half of what it takes in UTF-16.
 */
const fromUtf16 = (buffer: Buffer): Buffer | undefined => {
  const mark = buffer.length < 2 ? 0 : buffer.readUInt16BE(0)
  if (mark !== 0xfffe && mark !== 0xfeff) return undefined
  const whole = buffer.subarray(2, 2 + Math.min((buffer.length - 2) & ~1, 2 * FILE_OCTETS_MAX + 2))
  const littleEndian = mark === 0xfffe ? whole : Buffer.from(whole).swap16()
  return Buffer.from(littleEndian.toString('utf16le'), 'utf8')
}

const cutAtLine = (buffer: Buffer): Buffer => {
  if (buffer.length <= FILE_OCTETS_MAX) return buffer
  // A line end just behind the limit still ends a line that lies whole within it.
  const within = buffer.subarray(0, FILE_OCTETS_MAX + 1)
  const end = Math.max(within.lastIndexOf(0x0a), within.lastIndexOf(0x0d))
  return buffer.subarray(0, end < 0 ? FILE_OCTETS_MAX : end)
}

const UTF8_MARK = [0xef, 0xbb, 0xbf]

/** A byte-order mark is skipped, and so is what a careless editor left of one. */
const markLength = (buffer: Buffer): number => {
  const differs = UTF8_MARK.findIndex((octet, i) => buffer[i] !== octet)
  return differs < 0 ? UTF8_MARK.length : differs
}

/** Octet strings that hold UTF-8. ASCII, which nearly every line is, is told at a glance. */
export const isUtf8Octets = (octets: string): boolean =>
  !/[\u0080-\u00ff]/.test(octets) || isUtf8(Buffer.from(octets, 'latin1'))
