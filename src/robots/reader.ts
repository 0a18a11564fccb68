import type { HttpUrl } from '../kernel/url.ts'
import { decideRobots } from './decide.ts'
import { readRobots } from './read.ts'

/** What any reader of robots.txt answers about one address. `line` 0: no rule decided. */
export type ReaderAnswer =
  | {
      readonly tag: 'Decided'
      readonly allowed: boolean
      readonly line: number
      readonly crawlDelayMs: number | null
    }
  /** The reader cannot take this file; it says nothing either way. */
  | { readonly tag: 'Declined'; readonly because: string }

/**
 * A reader of robots.txt as a port, so that one can be compared with another over all history. Pure
 * and total. The file is taken to be valid for the address's origin.
 */
export type RobotsReader = {
  readonly name: string
  readonly version: number | string
  readonly answer: (bytes: Uint8Array, token: string, url: HttpUrl) => ReaderAnswer
}

/** The reader that decides. A changed rule of reading is a new version. */
export const ROBOTS_READER = { name: 'rfc9309', version: 2 } as const

/** How events name it. */
export const ROBOTS_READER_LABEL = `${ROBOTS_READER.name}@${ROBOTS_READER.version}` as const

export const firstReader: RobotsReader = {
  ...ROBOTS_READER,
  answer: (bytes, token, url) => {
    const { allowed, rule, crawlDelayMs } = decideRobots(readRobots(bytes), token, url)
    return { tag: 'Decided', allowed, line: rule?.line ?? 0, crawlDelayMs }
  },
}
