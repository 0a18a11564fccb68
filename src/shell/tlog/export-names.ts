/** Every name in an export is that of a file which the log at this size has, or once had. */
import { isTileOf, tileAt } from '../../ledger/tlog/tile.ts'
import type { ExportedFiles, Listed } from '../../publish/exported-files.ts'
import { positionsOf } from '../../publish/export-fault.ts'
import { orHalt } from '../halt.ts'
import { exportFault } from './export-fault.ts'

export const CHECKPOINT = 'checkpoint'

/** A directory of tiles has at most 1,000 numbers in each of three forms. */
export const NAMES_MAX = 3_001

/** tile, then a level or the entries, then thousands, then the parts of one tile. */
const DIRECTORY = /^tile(?:\/(?:entries|[0-6])(?:\/x\d{3}){0,5}(?:\/\d{3}\.p)?)?$/

/** Counts the files. Names are looked at before any file is read. */
export const checkNames = async (files: ExportedFiles, size: number): Promise<number> => {
  let count = 0
  const walk = async (directory: string): Promise<void> => {
    const listed = await orHalt(files.list(directory, NAMES_MAX))
    if (listed.length === 0)
      throw exportFault(directory, null, 'a directory without files does not belong to an export')
    for (const { name, kind } of listed) {
      const path = directory === '' ? name : `${directory}/${name}`
      if (kind === 'directory' && DIRECTORY.test(path)) await walk(path)
      else {
        checkName(path, kind, size)
        count += 1
      }
    }
  }
  await walk('')
  return count
}

const checkName = (path: string, kind: Listed['kind'], size: number): void => {
  const tile = tileAt(path)
  if (kind !== 'file' || (path !== CHECKPOINT && tile === undefined))
    throw exportFault(
      path,
      null,
      kind === 'other'
        ? 'it is no plain file (a link, perhaps): nothing vouches for where it leads'
        : 'it does not belong to an export; nothing vouches for it',
    )
  if (tile !== undefined && !isTileOf(tile, size))
    throw exportFault(
      path,
      positionsOf(tile, 0, tile.width),
      `a log of ${size} entries has no such file; if an export was cut off, export once more`,
    )
}
