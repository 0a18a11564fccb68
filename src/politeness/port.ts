import type { TaskEither } from '../kernel/fp.ts'
import type { Site } from '../kernel/site.ts'
import type { Unavailable } from '../ledger/port.ts'

/** The right to have one request open to a site. `fence` grows with every claim of the site. */
export type Claim = { readonly site: Site; readonly fence: number }

/**
 * Claims of sites: over all programmes, sources and processes one claim of a site at a time.
 *
 * A claim is a lease: held claims are renewed in the background while the process lives. When its
 * process is gone (same machine: known at once; elsewhere: when the lease has run out) the site can
 * be claimed again, with a higher fence; an append guarded by the old fence is then refused.
 */
export type Claims = {
  /** undefined: somebody else holds it now; ask again a little later. */
  readonly claim: (site: Site) => TaskEither<Unavailable, Claim | undefined>
  readonly release: (claim: Claim) => TaskEither<Unavailable, void>
  /**
   * Ends all claims of a process that is known to be gone. What it still had under way then either
   * stands in the ledger or, if a claim guards it, never will.
   */
  readonly revoke: (holder: string) => TaskEither<Unavailable, void>
}
