/** Base64 (RFC 4648 §4) in its one canonical form: padded, no other letters, unused bits zero. */

/** The bytes, or undefined if `text` is not exactly what encoding them gives. */
export const fromBase64 = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

/** One SHA-256 hash in base64; undefined for anything else. */
export const hashFromBase64 = (text: string): Buffer | undefined => {
  const bytes = fromBase64(text)
  return bytes?.length === 32 ? bytes : undefined
}
