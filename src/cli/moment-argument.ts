import type { Moment } from '../shell/projecting/rows-at.ts'
import { timeArgument } from './log.ts'

/** A position is a bare number; everything else is read as a time. */
export const momentArgument = (given: string): Moment =>
  /^\d{1,15}$/.test(given) ? { position: Number(given) } : { ts: timeArgument('--at', given) }
