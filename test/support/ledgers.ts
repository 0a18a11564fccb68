/** Every implementation of the ledger and of claims, each as two processes on one store see it. */
import { postgresClaims } from '../../src/adapters/postgres/claims.ts'
import { postgresLedger } from '../../src/adapters/postgres/ledger.ts'
import { type ClaimRows, memoryClaims } from '../../src/adapters/memory/claims.ts'
import { memoryLedger, type StoredEvents } from '../../src/adapters/memory/ledger.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import { instant } from '../../src/kernel/instant.ts'
import { siteOfHost } from '../../src/kernel/site.ts'
import type { EventOf } from '../../src/ledger/event.ts'
import type { Ledger, StreamAppend } from '../../src/ledger/port.ts'
import { siteStream } from '../../src/ledger/stream.ts'
import type { Claims } from '../../src/politeness/port.ts'
import { openAgain, places } from './database.ts'
import { right } from './either.ts'

export type Party = {
  readonly ledger: Ledger
  readonly claims: Claims & { readonly close: () => Promise<void> }
}

export type PartyOptions = {
  readonly clock?: Clock
  readonly holder?: string
  readonly isGone?: (holder: string) => boolean | undefined
  readonly leaseMs?: number
  readonly renewMs?: number
}

/** A new, empty store; each call of `join` gives one more process that works on it. */
export type Store = {
  readonly join: (options?: PartyOptions) => Promise<Party>
  readonly close: () => Promise<void>
}

export type Implementation = { readonly name: string; readonly newStore: () => Promise<Store> }

const filled = (options: PartyOptions, parties: number) => ({
  clock: options.clock ?? systemClock(),
  self: {
    holder: options.holder ?? `process-${parties}`,
    isGone: options.isGone ?? (() => undefined),
  },
  lease: { leaseMs: options.leaseMs ?? 60_000, renewMs: options.renewMs ?? 15_000 },
})

const inMemory: Implementation = {
  name: 'memory',
  newStore: async () => {
    const rows: ClaimRows = new Map()
    const stored: StoredEvents = []
    const closing: (() => Promise<void>)[] = []
    return {
      join: async (options = {}) => {
        const { clock, self, lease } = filled(options, closing.length)
        const claims = memoryClaims(self, rows, lease)
        closing.push(claims.close)
        return { ledger: memoryLedger(clock, rows, stored), claims }
      },
      close: async () => {
        for (const close of closing) await close()
      },
    }
  },
}

const onPostgres: readonly Implementation[] = places.map((place) => ({
  name: place.name,
  newStore: async () => {
    const settings = await place.newDatabase()
    const closing: (() => Promise<void>)[] = []
    return {
      join: async (options = {}) => {
        const { clock, self, lease } = filled(options, closing.length)
        const database = await openAgain(settings)
        const ledger = right(await postgresLedger(database, clock)())
        const claims = postgresClaims(database, self, lease)
        closing.push(async () => {
          await claims.close()
          await ledger.close()
          await database.close()
        })
        return { ledger, claims }
      },
      close: async () => {
        for (const close of closing) await close()
      },
    }
  },
}))

export const implementations: readonly Implementation[] = [inMemory, ...onPostgres]

/** A clock that stands where it is put. */
export const settableClock = (start = Date.UTC(2026, 10, 30, 1)): Clock & { time: number } => {
  const clock = {
    time: start,
    kind: 'system' as const,
    now: () => instant(clock.time),
    sleepUntil: async () => undefined,
    track: async <A>(task: () => Promise<A>) => task(),
  }
  return clock
}

export const RUN = '20261130T010000Z-5f0c2a'

/** A small event; `note` tells one from the other. */
export const excluded = (note: string): EventOf<'SiteExcluded'> => ({
  type: 'SiteExcluded',
  v: 1,
  site: siteOfHost('news.example'),
  by: 'A. Operator',
  note,
})

export const streamOf = (name: string) => siteStream(siteOfHost(`${name}.example`))

/** An append of one small event for each note. */
export const appendOf = (
  stream: string,
  expectedVersion: number,
  ...[first = 'a note', ...rest]: string[]
): StreamAppend => ({
  stream: streamOf(stream),
  expectedVersion,
  events: [excluded(first), ...rest.map(excluded)],
})

/** The note of a small event; '' for any other. */
export const noteOf = ({ event }: { readonly event: { readonly type: string } }): string =>
  'note' in event && typeof event.note === 'string' ? event.note : ''
