import type { BodyStore } from '../capture/port.ts'
import { decodeBody } from '../capture/decode-body.ts'
import { E } from '../kernel/fp.ts'
import { type Digest } from '../kernel/digest.ts'
import type { Header } from '../kernel/words.ts'
import type { EventOf } from '../ledger/event.ts'
import { readRobots, type RobotsFile } from '../robots/read.ts'
import type { RobotsKnowledge } from '../robots/ruling.ts'
import { bodyUnlessErased } from './erasing/erased-bodies.ts'

/** Rules as read from kept robots.txt bodies; the bytes are the truth, this only remembers a few. */
export type RobotsFiles = {
  readonly knowledge: (read: EventOf<'RobotsRead'>) => Promise<RobotsKnowledge>
}

/** A hostile file can keep some 4 MB of rules. */
const CACHED_FILES_MAX = 20
/** RFC 9309 §2.5 asks for 500 KiB at least; decoded beyond this is cut by the reader itself. */
export const ROBOTS_DECODED_MAX = 8_388_608

/** The rules in a kept body, or null where its content coding cannot be undone. */
export const robotsFileOf = (body: Buffer, headers: readonly Header[]): RobotsFile | null => {
  const decoded = decodeBody(body, headers, ROBOTS_DECODED_MAX)
  return E.isLeft(decoded) ? null : readRobots(decoded.right)
}

export const robotsFiles = (bodies: BodyStore): RobotsFiles => {
  const known = new Map<Digest, RobotsFile | null>()
  const load = async (commit: Digest, headers: readonly Header[]): Promise<RobotsFile | null> => {
    const cached = known.get(commit)
    if (cached !== undefined) return cached
    const body = await bodyUnlessErased(bodies, commit)
    // Rules that were erased can allow nothing any more: who asks for them fails closed.
    const file = body === undefined ? null : robotsFileOf(body, headers)
    if (known.size >= CACHED_FILES_MAX) known.clear()
    known.set(commit, file)
    return file
  }
  return {
    knowledge: async (read) => ({
      read,
      file:
        read.access === 'rules' && read.commit !== null
          ? await load(read.commit, read.headers)
          : null,
    }),
  }
}
