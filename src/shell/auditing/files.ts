import type { KeptFile } from '../../audit/kept-file.ts'
import type { Kept } from '../../audit/rule.ts'
import type { BodyStore } from '../../capture/port.ts'
import { decodeBody } from '../../capture/decode-body.ts'
import type { Digest } from '../../kernel/digest.ts'
import { E } from '../../kernel/fp.ts'
import { readRobots } from '../../robots/read.ts'
import { Halt } from '../halt.ts'
import { ROBOTS_DECODED_MAX } from '../robots-files.ts'

/** A kept file's bytes behind its content coding; a tag where there are none to read. */
export type FileBytes = Buffer | 'missing' | 'erased' | 'undecodable'

/** Kept robots.txt files for auditors. A body that does not fit its commitment ends the audit. */
export type AuditFiles = {
  readonly bytes: (file: KeptFile) => Promise<FileBytes>
  /** As read once more by the reader that decides. */
  readonly kept: (file: KeptFile) => Promise<Kept>
}

/** A hostile file can hold 8 MB, and its rules 12 MB. */
const CACHED_MAX = 20

export const auditFiles = (bodies: BodyStore): AuditFiles => {
  const read = new Map<Digest, Kept>()
  const bytes = async ({ commit, headers }: KeptFile): Promise<FileBytes> => {
    const body = await bodies.get(commit)()
    if (E.isLeft(body)) {
      if (body.left.tag === 'BodyMissing') return 'missing'
      if (body.left.tag === 'BodyErased') return 'erased'
      throw new Halt(body.left)
    }
    const decoded = decodeBody(body.right, headers, ROBOTS_DECODED_MAX)
    return E.isRight(decoded) ? decoded.right : 'undecodable'
  }
  const kept = async (file: KeptFile): Promise<Kept> => {
    const known = read.get(file.commit)
    if (known !== undefined) return known
    const found = keptAs(await bytes(file))
    if (read.size >= CACHED_MAX) read.clear()
    read.set(file.commit, found)
    return found
  }
  return { bytes, kept }
}

const keptAs = (bytes: FileBytes): Kept => {
  if (bytes === 'missing') return { tag: 'Missing' }
  if (bytes === 'erased') return { tag: 'Erased' }
  return bytes === 'undecodable' ? { tag: 'Undecodable' } : { tag: 'Read', file: readRobots(bytes) }
}
