/**
 * One spelling for octets, so that a rule and an address can be compared (RFC 9309 §2.2.2).
 *
 * Texts are octet strings: one character per octet, so nothing is lost to a wrong character set.
 * Canonical octets are ASCII:
 * - `%XX` of an unreserved character is that character, any other `%XX` stays, in upper case;
 * - octets outside ASCII, and ASCII that no URI may hold raw, are percent-encoded;
 * - raw reserved characters stay raw, except those that URL parsers and people spell both ways:
 *   `'`, `[` and `]` (docs/decisions/0010).
 */
const SPECIAL = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#@!$&()*+,;=%]/g

/** Each octet encoded, made once: a file may hold half a million of them. */
const ENCODED = Array.from(
  { length: 256 },
  (_, octet) => `%${octet.toString(16).toUpperCase().padStart(2, '0')}`,
)

/** How each octet is spelt that was found encoded. */
const DECODED = ENCODED.map((encoded, octet) => {
  const character = String.fromCharCode(octet)
  return /[A-Za-z0-9\-._~]/.test(character) ? character : encoded
})

const canonicalOctet = (found: string): string =>
  (found.length === 1
    ? ENCODED[found.charCodeAt(0)]
    : DECODED[Number.parseInt(found.slice(1), 16)]) ?? found

const canonical = (octets: string): string => octets.replace(SPECIAL, canonicalOctet)

/** The octets of `text` in UTF-8, one character each. */
export const octetsOfText = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/**
 * Octets as text for people: UTF-8 where they are, U+FFFD where they are not or would move a
 * terminal's cursor. At most `max` UTF-16 units.
 */
export const textOfOctets = (octets: string, max: number): string =>
  Buffer.from(octets, 'latin1')
    .toString('utf8')
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, '\uFFFD')
    .slice(0, max)
    .toWellFormed()

/** A path with its query. `*` and `$` mean themselves in an address (RFC 9309 §2.2.3). */
export const canonicalPath = (path: string): string =>
  canonical(octetsOfText(path)).replaceAll('*', '%2A').replaceAll('$', '%24')

export type Pattern = {
  /** Canonical octets; every `*` is a wildcard, and no two stand side by side. */
  readonly text: string
  /** `$` ended the pattern: it must match to the end of the path (RFC 9309 §2.2.3). */
  readonly anchored: boolean
  /** Length by which the most specific rule is found, `*` and `$` counted (RFC 9309 §2.2.2). */
  readonly octets: number
}

/** A rule's value. `$` is special only as the last character; elsewhere it means itself. */
export const canonicalPattern = (value: string): Pattern => {
  const anchored = value.endsWith('$')
  const body = canonical(anchored ? value.slice(0, -1) : value).replaceAll('$', '%24')
  return {
    text: body.replace(/\*\*+/g, '*'),
    anchored,
    octets: body.length + (anchored ? 1 : 0),
  }
}
