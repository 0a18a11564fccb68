/** The server's log beside the cluster. */
import { type FileHandle, open, readFile, rename, stat } from 'node:fs/promises'

/** Checked at each start: the log and its predecessor together stay near twice this size. */
const LOG_BYTES_MAX = 1_000_000
const COMPLAINT_BYTES_MAX = 100_000

export type ServerLog = {
  readonly handle: FileHandle
  /** What was written since it was opened. */
  readonly added: () => Promise<string>
}

/** Opens the log for appending; one that has grown is kept once, as `<path>.1`. */
export const openLog = async (path: string): Promise<ServerLog> => {
  const grown = await stat(path).then(
    ({ size }) => size > LOG_BYTES_MAX,
    () => false,
  )
  if (grown) await rename(path, `${path}.1`)
  const handle = await open(path, 'a', 0o600)
  const from = (await handle.stat()).size
  const added = async (): Promise<string> =>
    (await readFile(path)).subarray(from, from + COMPLAINT_BYTES_MAX).toString()
  return { handle, added }
}
