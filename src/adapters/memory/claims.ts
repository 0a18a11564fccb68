/** Claims in memory. Several that share `rows` stand for several processes with one database. */
import { E } from '../../kernel/fp.ts'
import type { Site } from '../../kernel/site.ts'
import type { Guard } from '../../ledger/port.ts'
import type { Claims } from '../../politeness/port.ts'

type ClaimRow = {
  readonly fence: number
  /** null after a release. */
  readonly holder: string | null
  /** In milliseconds of `performance.now()`. */
  leaseUntil: number
}

export type ClaimRows = Map<Site, ClaimRow>

/** Who claims, and how to tell whether another holder is gone (undefined: cannot be told). */
export type MemoryHolder = {
  readonly holder: string
  readonly isGone: (holder: string) => boolean | undefined
}

/** Whether `guard` names a claim that is held now. */
export const isHeld = (rows: ClaimRows, { site, fence }: Guard): boolean => {
  const row = rows.get(site)
  return row !== undefined && row.fence === fence && row.holder !== null
}

const revokeAll = (rows: ClaimRows, gone: string): void => {
  for (const [site, { holder, fence }] of rows) {
    if (holder === gone) rows.set(site, { fence, holder: null, leaseUntil: 0 })
  }
}

const renewAll = (rows: ClaimRows, held: ReadonlyMap<Site, number>, leaseMs: number): void => {
  for (const [site, fence] of held) {
    const row = rows.get(site)
    if (row?.fence === fence) row.leaseUntil = performance.now() + leaseMs
  }
}

export const memoryClaims = (
  { holder, isGone }: MemoryHolder,
  rows: ClaimRows = new Map(),
  lease = { leaseMs: 60_000, renewMs: 15_000 },
): Claims & { readonly close: () => Promise<void> } => {
  const held = new Map<Site, number>()
  const timer = setInterval(() => renewAll(rows, held, lease.leaseMs), lease.renewMs)
  timer.unref()
  const free = (site: Site, fence: number): void => {
    if (rows.get(site)?.fence === fence) rows.set(site, { fence, holder: null, leaseUntil: 0 })
    if (held.get(site) === fence) held.delete(site)
  }
  return {
    claim: (site) => async () => {
      const row = rows.get(site)
      const taken = row !== undefined && row.holder !== null && row.leaseUntil >= performance.now()
      if (taken && isGone(row.holder ?? '') !== true) return E.right(undefined)
      const fence = (row?.fence ?? 0) + 1
      rows.set(site, { fence, holder, leaseUntil: performance.now() + lease.leaseMs })
      held.set(site, fence)
      return E.right({ site, fence })
    },
    release:
      ({ site, fence }) =>
      async () => {
        // Another process may have claimed it meanwhile, or this one again.
        if (held.get(site) === fence) free(site, fence)
        return E.right(undefined)
      },
    revoke: (gone) => async () => E.right(revokeAll(rows, gone)),
    close: async () => {
      clearInterval(timer)
      for (const [site, fence] of held) free(site, fence)
    },
  }
}
