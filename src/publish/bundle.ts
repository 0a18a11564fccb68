/** An evidence bundle: one event with everything that an outsider needs to check it, as files. */

/** The names a bundle may have; a checker refuses any other. */
export const FILES = {
  event: 'event.json',
  proof: 'event.tlog-proof',
  before: 'before.checkpoint',
  growth: 'consistency.txt',
  body: 'body.bin',
  salt: 'body.salt',
  erased: 'erased.json',
  erasedProof: 'erased.tlog-proof',
  stamped: 'stamped.tlog-proof',
  stamp: 'stamp.json',
  stampProof: 'stamp.tlog-proof',
  policy: 'policy.txt',
  readme: 'README.txt',
} as const

export const FILE_NAMES: readonly string[] = Object.values(FILES)

/** The files of a bundle by their names. */
export type Bundle = ReadonlyMap<string, Buffer>
