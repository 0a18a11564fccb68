import { type HttpUrl, pathOf } from '../kernel/url.ts'
import { matcherOf } from './match.ts'
import { canonicalPath, canonicalPattern, octetsOfText } from './octets.ts'

/** Whether an address falls under a path that a person wrote as a Disallow value is written (RFC 9309 §2.2.3). */
export const patternMatches = (pattern: string, url: HttpUrl): boolean =>
  matcherOf(canonicalPath(pathOf(url)))(canonicalPattern(octetsOfText(pattern)))
