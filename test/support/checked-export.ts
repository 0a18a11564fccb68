import { join } from 'node:path'
import { folderAt } from '../../src/adapters/files/folder.ts'
import { parsePolicy, type Policy, policyText } from '../../src/publish/policy.ts'
import type { ExportedFiles } from '../../src/publish/exported-files.ts'
import type { ExportFault } from '../../src/publish/export-fault.ts'
import { Halt } from '../../src/shell/halt.ts'
import { checkExport, type CheckedExport } from '../../src/shell/tlog/check-export.ts'
import { exportTlog } from '../../src/shell/tlog/export-tlog.ts'
import type { KeptHead } from '../../src/shell/tlog/kept-heads.ts'
import { right } from './either.ts'
import { ORIGIN, type SealedLedger } from './sealing.ts'

/** The policy of a log that no witness signs. */
export const policyOf = async ({ tlog }: Pick<SealedLedger, 'tlog'>): Promise<Policy> => {
  const keys = right(await tlog.keys.list(ORIGIN)()).map(({ key }) => key)
  return right(parsePolicy('policy', policyText(keys)))
}

/** Seals and exports into `name` below the data directory; the directory. */
export const exportedTo = async (log: SealedLedger, name = 'export'): Promise<string> => {
  const directory = join(log.data, name)
  await log.seal()
  await exportTlog(log.publishing, folderAt(directory), () => undefined)
  return directory
}

/** What the check finds; a fault instead of an answer if it finds one. */
export const checked = async (
  files: ExportedFiles,
  policy: Policy,
  kept: readonly KeptHead[] = [],
): Promise<CheckedExport | ExportFault> => {
  const { signal: stop } = new AbortController()
  try {
    const found = await checkExport(files, { policy, kept, stop, progress: () => undefined })
    if (found === undefined) throw new Error('interrupted by nobody')
    return found
  } catch (error) {
    if (error instanceof Halt && error.failure.tag === 'ExportFault') return error.failure
    throw error
  }
}

export const faultIn = async (
  files: ExportedFiles,
  policy: Policy,
  kept: readonly KeptHead[] = [],
): Promise<ExportFault> => {
  const found = await checked(files, policy, kept)
  if ('tag' in found) return found
  throw new Error(`the export of ${found.size} entries was taken for good`)
}
