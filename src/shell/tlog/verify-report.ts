import type { Instant } from '../../kernel/instant.ts'
import type { Predecessor } from './predecessor.ts'

export type VerifyAsked = {
  /** Read everything again, also what was verified before. */
  readonly full: boolean
  readonly now: Instant
  readonly stop: AbortSignal
  readonly progress: (position: number, of: number) => void
}

export type VerifyReport = {
  readonly ok: boolean
  readonly origin: string | null
  readonly predecessor: Predecessor | null
  /** Positions that were read and checked; those before `from` were not, see `before`. */
  readonly from: number
  readonly to: number
  readonly entries: number
  readonly bytes: number
  readonly bodies: number
  /** Kept bodies that an event says were erased, and that are gone. */
  readonly erased: number
  /** Erasures whose body is still in the body store, and the event of the first: none is a breach. */
  readonly stillThere: number
  readonly firstStillThere: number | null
  readonly heads: number
  readonly cosignatures: number
  /** The newest head, and how many entries stand behind it unsealed. */
  readonly head: { readonly size: number; readonly root: string } | null
  readonly unsealed: number
  /** Without the log's key in this data directory nobody can say whether heads are its own. */
  readonly signatures: 'checked' | 'no key here'
  readonly lastSigned: 'agrees' | 'not here'
  /** What rests on an earlier verification, if the first position read is not 1. */
  readonly before: { readonly size: number; readonly at: number; readonly fullAt: number } | null
  readonly interrupted: boolean
  readonly breach: {
    readonly position: number
    readonly until: number
    readonly because: string
  } | null
}

export type Tally = {
  entries: number
  bytes: number
  bodies: number
  erased: number
  stillThere: number
  firstStillThere: number | null
  heads: number
  cosignatures: number
}

export const newTally = (): Tally => ({
  entries: 0,
  bytes: 0,
  bodies: 0,
  erased: 0,
  stillThere: 0,
  firstStillThere: null,
  heads: 0,
  cosignatures: 0,
})
