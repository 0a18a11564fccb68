import type { Positions } from '../../publish/export-fault.ts'
import { Halt } from '../halt.ts'

/** What ends the check of an export. */
export const exportFault = (file: string, at: Positions | null, because: string): Halt =>
  new Halt({ tag: 'ExportFault', file, at, because })
