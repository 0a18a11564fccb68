import type { Json } from '../kernel/canonical-json.ts'
import type { Site } from '../kernel/site.ts'
import type { HttpUrl } from '../kernel/url.ts'
import type { Header } from '../kernel/words.ts'

/** A kept response as a reader sees it: the bytes as served, content coding and all. */
export type Capture = {
  readonly subject: Site
  /** The address the fetch began with, and the one that answered (after redirects). */
  readonly target: HttpUrl
  readonly url: HttpUrl
  readonly status: number
  readonly headers: readonly Header[]
  readonly truncated: boolean
  /** The product token in the policy of the programme that asked; null where no policy says one. */
  readonly token: string | null
  readonly body: Buffer
}

/**
 * Bytes → reading, by fixed rules under a version. A reader is pure and total: on data it never
 * throws, it answers with faults. A changed rule is a new version, and the old one stays runnable.
 */
export type Reader = {
  readonly name: string
  /** A whole number; a text for a library that is taken as it is, under its own version. */
  readonly version: number | string
  readonly read: (capture: Capture) => Json
}

/** `ads-txt@1`: how events and rows name the reader that made them. */
export const readerLabel = (reader: Pick<Reader, 'name' | 'version'>): string =>
  `${reader.name}@${reader.version}`
