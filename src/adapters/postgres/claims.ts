/** Claims of sites on PostgreSQL: one row a site, a lease by the database's own clock, a fence. */
import { sql } from 'kysely'
import { E, type Either } from '../../kernel/fp.ts'
import type { Site } from '../../kernel/site.ts'
import type { Unavailable } from '../../ledger/port.ts'
import type { Claim, Claims } from '../../politeness/port.ts'
import { int8Array, textArray } from './append/binary-array.ts'
import type { Database } from './database.ts'
import { unavailableBecause } from './failure.ts'

/** Who claims, and how to tell whether another holder is gone (undefined: cannot be told). */
export type Holder = {
  readonly holder: string
  readonly isGone: (holder: string) => boolean | undefined
}

export type Lease = { readonly leaseMs: number; readonly renewMs: number }

/** Three renewals may fail before anybody else can take the site. */
const LEASE: Lease = { leaseMs: 60_000, renewMs: 15_000 }

export type PostgresClaims = Claims & {
  /** Gives back what is held and stops renewing. */
  readonly close: () => Promise<void>
}

export const postgresClaims = (
  database: Database,
  self: Holder,
  lease: Lease = LEASE,
): PostgresClaims => {
  const held = new Map<Site, Claim>()
  const stopRenewing = renewing(database, self, lease, held)
  const keep = (site: Site, fence: number): Claim => {
    const claim = { site, fence }
    held.set(site, claim)
    return claim
  }
  return {
    claim: (site) => () =>
      reaching(database, async () => {
        const fence = await claimFence(database, self, lease, site)
        return fence === undefined ? undefined : keep(site, fence)
      }),
    release: (claim) => () =>
      reaching(database, async () => {
        if (held.get(claim.site)?.fence === claim.fence) held.delete(claim.site)
        await release(database, self.holder, claim)
      }),
    revoke: (gone) => () => reaching(database, () => revoke(database, gone)),
    close: async () => {
      stopRenewing()
      const all = [...held.values()]
      held.clear()
      // A database that is gone holds nobody up: the lease runs out.
      await reaching(database, async () => {
        for (const claim of all) await release(database, self.holder, claim)
      })
    },
  }
}

const reaching = async <A>(
  { place }: Database,
  task: () => Promise<A>,
): Promise<Either<Unavailable, A>> => {
  try {
    return E.right(await task())
  } catch (error) {
    return E.left(unavailableBecause(place, error))
  }
}

const until = ({ leaseMs }: Lease) =>
  sql<Date>`clock_timestamp() + ${leaseMs} * interval '1 millisecond'`

/** The new fence, or undefined if somebody holds the site who may still be there. */
const claimFence = async (
  database: Database,
  self: Holder,
  lease: Lease,
  site: Site,
): Promise<number | undefined> => {
  const free = await claimFree(database, self, lease, site)
  if (free !== undefined) return free
  const other = await database.writer
    .selectFrom('site_claim')
    .select(['holder', 'fence'])
    .where('site', '=', site)
    .executeTakeFirst()
  if (other === undefined || other.holder === null || self.isGone(other.holder) !== true)
    return undefined
  return takeOver(database, self, lease, { site, fence: other.fence })
}

/** Claims a site that is new, was released, or whose lease ran out. */
const claimFree = async (
  { writer }: Database,
  { holder }: Holder,
  lease: Lease,
  site: Site,
): Promise<number | undefined> => {
  const row = await writer
    .insertInto('site_claim')
    .values({ site, fence: 1, holder, lease_until: until(lease) })
    .onConflict((conflict) =>
      conflict
        .column('site')
        .doUpdateSet({ fence: sql`site_claim.fence + 1`, holder, lease_until: until(lease) })
        .where(
          sql<boolean>`site_claim.holder is null or site_claim.lease_until < clock_timestamp()`,
        ),
    )
    .returning('fence')
    .executeTakeFirst()
  return row?.fence
}

/** Takes the site from a holder that is gone, unless somebody else was quicker. */
const takeOver = async (
  { writer }: Database,
  { holder }: Holder,
  lease: Lease,
  old: Claim,
): Promise<number | undefined> => {
  const row = await writer
    .updateTable('site_claim')
    .set({ fence: old.fence + 1, holder, lease_until: until(lease) })
    .where('site', '=', old.site)
    .where('fence', '=', old.fence)
    .returning('fence')
    .executeTakeFirst()
  return row?.fence
}

const release = async ({ writer }: Database, holder: string, claim: Claim): Promise<void> => {
  await writer
    .updateTable('site_claim')
    .set({ holder: null, lease_until: sql`'-infinity'` })
    .where('site', '=', claim.site)
    .where('fence', '=', claim.fence)
    .where('holder', '=', holder)
    .execute()
}

/**
 * An append locks the row of the claim that guards it, so this waits for those that got so far: row
 * by row, so that nobody waits in a circle.
 */
const revoke = async (database: Database, holder: string): Promise<void> => {
  const rows = await database.writer
    .selectFrom('site_claim')
    .select(['site', 'fence'])
    .where('holder', '=', holder)
    .execute()
  // The column holds what was claimed as a Site.
  for (const { site, fence } of rows) await release(database, holder, { site: site as Site, fence })
}

/**
 * Renews all that is held in one statement. A row that an append locks right now is left for the
 * next time, so that renewing waits for nobody and nobody waits in a circle.
 */
const renew = async (
  { writer }: Database,
  { holder }: Holder,
  lease: Lease,
  claims: readonly Claim[],
): Promise<void> => {
  const sites = textArray(claims.map(({ site }) => site))
  const fences = int8Array(claims.map(({ fence }) => fence))
  await sql`
    update site_claim c set lease_until = ${until(lease)}
    from (
      select r.site from site_claim r
      join unnest(${sites}::text[], ${fences}::bigint[]) as h(site, fence)
        on r.site = h.site and r.fence = h.fence
      where r.holder = ${holder}
      for update of r skip locked
    ) as m
    where c.site = m.site`.execute(writer)
}

/** Renews in the background until the returned function is called. Does not keep the process alive. */
const renewing = (
  database: Database,
  self: Holder,
  lease: Lease,
  held: ReadonlyMap<Site, Claim>,
): (() => void) => {
  let busy = false
  const tick = async (): Promise<void> => {
    if (busy || held.size === 0) return
    busy = true
    // A renewal that fails is tried again; a claim that is lost meanwhile shows at the next append.
    await reaching(database, () => renew(database, self, lease, [...held.values()]))
    busy = false
  }
  const timer = setInterval(() => void tick(), lease.renewMs)
  timer.unref()
  return () => clearInterval(timer)
}
