/**
 * The table of contents of a crawl. Each step is one file:
 *
 *   run.ts          one night: adopt the policy, visit the sources, then every site they name
 *   visit.ts        one site: list it, then each file of the programme's order
 *   fetch-file.ts   one file: its origin's robots.txt first, then hop by hop to an end
 *   ask.ts          one request: decide, claim, RequestSent durable, first byte, one closing event
 *   close.ts        the closing event and what follows from it
 *
 * Nothing here decides: every decision is a pure function of `politeness`, `robots` or `capture`.
 */
import type { BodyStore, Fetcher } from '../capture/port.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Position } from '../kernel/position.ts'
import type { Site } from '../kernel/site.ts'
import type { Ledger } from '../ledger/port.ts'
import type { NightSpan } from '../plan/night.ts'
import type { Claims } from '../politeness/port.ts'
import type { Policy } from '../programmes/policy.ts'
import type { Numbering } from './numbering.ts'
import type { RobotsFiles } from './robots-files.ts'
import type { SiteStore } from './site-store.ts'

export type CrawlPorts = {
  readonly ledger: Ledger
  readonly bodies: BodyStore
  readonly claims: Claims
  readonly fetch: Fetcher
  readonly clock: Clock
  /** Whether a process of that identity is known to be gone; undefined: it cannot be known. */
  readonly isGone: (process: string) => boolean | undefined
}

/** What a run has done so far: what `RunEnded` will say. */
export type Tally = {
  requests: number
  responses: number
  failures: number
  abandoned: number
  withheld: number
  sites: number
}

/** One run under way. */
export type Crawl = {
  readonly ports: CrawlPorts
  readonly run: string
  readonly policy: Policy
  readonly adopted: Position
  readonly night: NightSpan
  /** A night's crawl, or one page that a person asked for. */
  readonly kind: 'night' | 'hand'
  /** The sites a fetch may begin on; null: any (PK1, PK2). */
  readonly scope: ReadonlySet<Site> | null
  readonly sites: SiteStore
  readonly robots: RobotsFiles
  readonly numbering: Numbering
  readonly tally: Tally
  /** The files, by `fileKey`, that a fetch of this run leads to their end right now. */
  readonly underWay: Set<string>
  /** Aborted: begin nothing new. An exchange under way is finished. */
  readonly stop: AbortSignal
}
