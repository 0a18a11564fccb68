/**
 * Closes what a dead process left open: its requests as abandoned, then its run. Every run begins
 * with this, so no site stays stuck and no run without an end.
 */
import type { Recorded } from '../ledger/entry.ts'
import type { EventOf } from '../ledger/event.ts'
import type { Position } from '../kernel/position.ts'
import type { Site } from '../kernel/site.ts'
import { siteOf } from '../kernel/url.ts'
import type { Ledger } from '../ledger/port.ts'
import { runStream } from '../ledger/stream.ts'
import { E } from '../kernel/fp.ts'
import { type Abandoner, closeAbandoned } from './abandon.ts'
import type { CrawlPorts, Tally } from './crawl.ts'
import { Halt, orHalt } from './halt.ts'

export type Recovery = Abandoner & {
  readonly ports: Pick<CrawlPorts, 'ledger' | 'claims' | 'isGone'>
}

const PAGE = 5_000

type Orphan = {
  readonly run: string
  readonly position: Position
  readonly started: EventOf<'RunStarted'>
}

/** How many runs were closed. */
export const recover = async (recovery: Recovery): Promise<number> => {
  let closed = 0
  for (const orphan of await orphans(recovery)) {
    // First, or a request that its dying append still brings would be missing from the counts.
    await orHalt(recovery.ports.claims.revoke(orphan.started.process))
    const left = await leftBehind(recovery.ports.ledger, orphan)
    const sites = await Promise.all([...left.open].map((site) => abandonAt(recovery, site)))
    if (sites.includes('held')) continue
    await endRun(recovery.ports.ledger, orphan, {
      ...left.tally,
      abandoned: left.tally.abandoned + left.open.size,
    })
    closed += 1
  }
  return closed
}

async function* pages(
  ledger: Ledger,
  types: readonly Recorded['event']['type'][],
  from: number,
): AsyncGenerator<Recorded> {
  let after = from
  for (;;) {
    const page = await orHalt(ledger.readAll({ after, limit: PAGE, types }))
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = last.position
  }
}

const orphans = async ({ ports }: Recovery): Promise<readonly Orphan[]> => {
  const open = new Map<string, Orphan>()
  for await (const { event, run, position } of pages(ports.ledger, ['RunStarted', 'RunEnded'], 0)) {
    if (event.type === 'RunStarted') open.set(run, { run, position, started: event })
    else open.delete(run)
  }
  return [...open.values()].filter(({ started }) => ports.isGone(started.process) === true)
}

const CONCERNED = [
  'RequestSent',
  'ResponseReceived',
  'RequestFailed',
  'RequestAbandoned',
  'RequestWithheld',
] as const

/** What the run did, counted from the ledger, and the sites on which a request of it is open. */
const leftBehind = async (
  ledger: Ledger,
  orphan: Orphan,
): Promise<{ readonly tally: Tally; readonly open: ReadonlySet<Site> }> => {
  const tally: Tally = {
    requests: 0,
    responses: 0,
    failures: 0,
    abandoned: 0,
    withheld: 0,
    sites: 0,
  }
  const open = new Map<Position, Site>()
  const subjects = new Set<Site>()
  for await (const { event, run, position } of pages(ledger, CONCERNED, orphan.position)) {
    if (event.type === 'RequestAbandoned') {
      if (event.sentIn === orphan.run) tally.abandoned += 1
      open.delete(event.request)
    }
    if (run !== orphan.run) continue
    if (event.type === 'RequestSent') {
      tally.requests += 1
      subjects.add(event.subject)
      open.set(position, siteOf(event.url))
    }
    if (event.type === 'RequestWithheld') tally.withheld += 1
    if (event.type === 'ResponseReceived') tally.responses += 1
    if (event.type === 'RequestFailed') tally.failures += 1
    if (event.type === 'ResponseReceived' || event.type === 'RequestFailed')
      open.delete(event.request)
  }
  return { tally: { ...tally, sites: subjects.size }, open: new Set(open.values()) }
}

const abandonAt = async (recovery: Recovery, site: Site): Promise<'closed' | 'held'> => {
  const { claims } = recovery.ports
  const claim = await orHalt(claims.claim(site))
  if (claim === undefined) return 'held'
  try {
    await closeAbandoned(recovery, claim)
    return 'closed'
  } finally {
    await orHalt(claims.release(claim))
  }
}

const endRun = async (ledger: Ledger, { run, started }: Orphan, tally: Tally): Promise<void> => {
  const event: EventOf<'RunEnded'> = {
    type: 'RunEnded',
    v: 1,
    programme: started.programme,
    status: 'abandoned',
    ...tally,
  }
  const result = await ledger.append(run, {
    stream: runStream(run),
    expectedVersion: 1,
    events: [event],
  })()
  // A conflict: another process has closed this run at the same moment, with the same counts.
  if (E.isLeft(result) && result.left.tag !== 'Conflict') throw new Halt(result.left)
}
