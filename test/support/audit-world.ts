/** Whole nights through the real shell over a scripted web in memory, and audits of what they leave. */
import { memoryBodyStore, type StoredBodies } from '../../src/adapters/memory/bodies.ts'
import { type ClaimRows, memoryClaims } from '../../src/adapters/memory/claims.ts'
import { memoryLedger } from '../../src/adapters/memory/ledger.ts'
import { simulatedClock } from '../../src/adapters/system/simulated-clock.ts'
import { completenessAudit } from '../../src/audit/completeness.ts'
import { promiseAudit, type PromiseResult, type Window } from '../../src/audit/promise-audit.ts'
import {
  type Difference,
  robotsAudit,
  type RobotsAuditTotals,
} from '../../src/audit/robots-audit.ts'
import type { BodyStore, Fetcher, HttpAnswer } from '../../src/capture/port.ts'
import { siteOfHost } from '../../src/kernel/site.ts'
import type { Header } from '../../src/kernel/words.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import { siteStream } from '../../src/ledger/stream.ts'
import { nightAt } from '../../src/plan/night.ts'
import type { RobotsReader } from '../../src/robots/reader.ts'
import { openLog } from '../../src/shell/adopt.ts'
import { auditFiles } from '../../src/shell/auditing/files.ts'
import { runNight } from '../../src/shell/run.ts'
import { right } from './either.ts'
import { at, policy, policyText, url } from './site.ts'

export type Answered = {
  readonly status: number
  readonly headers?: readonly Header[]
  readonly body?: string
}
/** Answers by address; 'refused' fails to connect, 'dies' kills the process. Else 404. */
export type AuditScript = { [address: string]: Answered | 'refused' | 'dies' }

export const NETWORK = 'https://adnet.example/sellers.json'
export const sellers = (...domains: readonly string[]): Answered => ({
  status: 200,
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify({
    version: '1.0',
    sellers: domains.map((domain, i) => ({
      seller_id: `${i}`,
      seller_type: 'PUBLISHER',
      name: domain,
      domain,
    })),
  }),
})
export const text = (body: string): Answered => ({
  status: 200,
  headers: [['Content-Type', 'text/plain']],
  body,
})
export const page: Answered = { status: 200, headers: [['Content-Type', 'text/html']], body: '<p>' }
export const moved = (to: string, status = 301): Answered => ({
  status,
  headers: [['Location', to]],
})

const timing = { connectMs: 1, firstByteMs: 1, totalMs: 1 }

const answerOf = ({ status, headers = [], body = '' }: Answered): HttpAnswer => ({
  tag: 'Answer',
  status,
  headers,
  body: Buffer.from(body),
  truncated: false,
  remote: null,
  tls: null,
  timing,
})

export const auditWorld = async (script: AuditScript) => {
  const clock = simulatedClock(at('2031-01-01T01:30:00Z'))
  const rows: ClaimRows = new Map()
  const stored: StoredBodies = new Map()
  const ledger = memoryLedger(clock, rows)
  const bodies = memoryBodyStore((size) => Buffer.alloc(size, 7), stored)
  const gone = new Set<string>()
  await openLog(ledger, 'opening', {
    origin: 'simulated.invalid/x',
    clock: 'simulated',
    software: 'test',
    predecessor: null,
  })

  class Died extends Error {}

  /** One run over everything; 'died' where the script, or its `dieAt`-th request, killed it. */
  const night = async (run: string, dieAt = Infinity): Promise<'ended' | 'died'> => {
    let count = 0
    let dead = false
    const fetch: Fetcher = async ({ url }) => {
      const scripted = script[url] ?? { status: 404 }
      count += 1
      dead ||= scripted === 'dies' || count >= dieAt
      if (dead || scripted === 'dies') throw new Died()
      // An exchange takes its time, and others go on meanwhile.
      await clock.sleepUntil(at(new Date(clock.now() + 700).toISOString()))
      return scripted === 'refused'
        ? { tag: 'Failure', reason: 'connect-refused', code: 'X', remote: null, timing }
        : answerOf(scripted)
    }
    const holder = `host/boot/${run}/1`
    const isGone = (process: string): boolean => gone.has(process)
    try {
      await runNight(
        { ledger, bodies, fetch, clock, isGone, claims: memoryClaims({ holder, isGone }, rows) },
        {
          run,
          policy,
          policyText,
          sources: [{ id: 'adnet', url: url(NETWORK) }],
          onlySites: undefined,
          onlySources: undefined,
          also: [],
          software: { software: 'test', node: '0', readers: {}, process: holder },
          stop: new AbortController().signal,
          progress: () => undefined,
        },
      )
      return 'ended'
    } catch (error) {
      if (!(error instanceof Died)) throw error
      gone.add(holder)
      return 'died'
    }
  }
  const events = async (): Promise<readonly Recorded[]> =>
    right(await ledger.readAll({ after: 0, limit: 10_000 })())
  return {
    clock,
    ledger,
    bodies,
    stored,
    script,
    night,
    events,
    nextNight: () => clock.sleepUntil(nightAt(policy.night, clock.now()).endsAt),
    /** A person's act. */
    act: async (
      type: 'SiteExcluded' | 'SiteReadmitted' | 'SiteResumed',
      host: string,
      run = `act-${host}-${type}`,
    ): Promise<void> => {
      const site = siteOfHost(host)
      const stream = siteStream(site)
      const version = right(await ledger.readStream(stream, 0)()).length
      const event = { type, v: 1, site, by: 'A. Person', note: null } as const
      right(await ledger.append(run, { stream, expectedVersion: version, events: [event] })())
    },
  }
}
export type AuditWorld = Awaited<ReturnType<typeof auditWorld>>

const everything: Window = { since: undefined, programme: undefined }

export const promisesOf = async (
  recorded: readonly Recorded[],
  { bodies }: { readonly bodies: BodyStore },
  window = everything,
): Promise<readonly PromiseResult[]> => {
  const audit = promiseAudit(window)
  const files = auditFiles(bodies)
  for (const one of recorded) {
    const wanted = audit.wants(one)
    audit.take(one, wanted === undefined ? undefined : await files.kept(wanted))
  }
  return audit.results()
}

/** Each breach in words. */
export const saidOf = (results: readonly PromiseResult[]): readonly string[] =>
  results.flatMap(({ promise, breaches }) =>
    breaches.map(({ position, says }) => `${promise} ${position} ${says}`),
  )

/** `PR5@12`: each breach, in order of promise and position. */
export const breachesOf = (results: readonly PromiseResult[]): readonly string[] =>
  results.flatMap(({ promise, breaches }) =>
    breaches.map(({ position }) => `${promise}@${position}`),
  )

export const completenessOf = (recorded: readonly Recorded[]) => {
  const audit = completenessAudit()
  for (const one of recorded) audit.take(one)
  return audit.result()
}

export const differencesOf = async (
  recorded: readonly Recorded[],
  { bodies }: { readonly bodies: BodyStore },
  reader: RobotsReader,
  window = everything,
): Promise<{ readonly list: readonly Difference[]; readonly totals: RobotsAuditTotals }> => {
  const audit = robotsAudit(reader, window)
  const files = auditFiles(bodies)
  const list: Difference[] = []
  for (const one of recorded) {
    const wanted = audit.wants(one)
    const found = audit.take(one, wanted === undefined ? undefined : await files.bytes(wanted))
    if (found !== undefined) list.push(found)
  }
  return { list, totals: audit.totals() }
}
