/** A crawl over memory adapters with a scripted web: what each address answers, and what was asked. */
import { memoryBodyStore } from '../../src/adapters/memory/bodies.ts'
import { type ClaimRows, memoryClaims } from '../../src/adapters/memory/claims.ts'
import { memoryLedger } from '../../src/adapters/memory/ledger.ts'
import { simulatedClock } from '../../src/adapters/system/simulated-clock.ts'
import type { Fetcher, HttpAnswer, HttpFailure } from '../../src/capture/port.ts'
import { E } from '../../src/kernel/fp.ts'
import { position } from '../../src/kernel/position.ts'
import type { Header } from '../../src/kernel/words.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import type { EventOf, EventType } from '../../src/ledger/event.ts'
import { nightAt } from '../../src/plan/night.ts'
import type { Crawl, CrawlPorts } from '../../src/shell/crawl.ts'
import { numbering } from '../../src/shell/numbering.ts'
import { robotsFiles } from '../../src/shell/robots-files.ts'
import { siteStore } from '../../src/shell/site-store.ts'
import { NOW, policy } from './site.ts'

export type Scripted = Pick<HttpAnswer, 'status'> & {
  readonly headers?: readonly Header[]
  readonly body?: string
}
/** Answers by address; a word is a failure. What is not scripted is 404. */
export type Script = { [address: string]: Scripted | FailureWord }
export type FailureWord = keyof typeof FAILURES

const FAILURES = {
  refused: 'connect-refused',
  reset: 'reset',
  tls: 'tls',
  silent: 'timeout',
} as const

const timing = { connectMs: 1, firstByteMs: 1, totalMs: 1 }

const answerOf = (scripted: Scripted): HttpAnswer => ({
  tag: 'Answer',
  status: scripted.status,
  headers: scripted.headers ?? [['Content-Type', 'text/plain']],
  body: Buffer.from(scripted.body ?? ''),
  truncated: false,
  remote: null,
  tls: null,
  timing,
})

const failureOf = (word: FailureWord): HttpFailure => ({
  tag: 'Failure',
  reason: FAILURES[word],
  code: '',
  remote: null,
  timing,
})

type BeforeAnswer = (address: string, headers: readonly Header[]) => Promise<void>

export type World = ReturnType<typeof scriptedWorld>

/** One world: a ledger, bodies and claims that several crawls (processes) can share. */
export const scriptedWorld = (script: Script) => {
  const clock = simulatedClock(NOW)
  const rows: ClaimRows = new Map()
  const ledger = memoryLedger(clock, rows)
  const bodies = memoryBodyStore((size) => Buffer.alloc(size, 7))
  const gone = new Set<string>()
  const open: (() => Promise<void>)[] = []
  const claimsOf = (holder: string) => {
    const claims = memoryClaims({ holder, isGone: (process) => gone.has(process) }, rows)
    open.push(claims.close)
    return claims
  }
  const asked: string[] = []
  let beforeAnswer: BeforeAnswer = () => Promise.resolve()

  const fetch: Fetcher = async ({ url, headers }) => {
    asked.push(url)
    await beforeAnswer(url, headers)
    const scripted = script[url] ?? { status: 404 }
    return typeof scripted === 'string' ? failureOf(scripted) : answerOf(scripted)
  }
  const events = async (): Promise<readonly Recorded[]> => {
    const all = await ledger.readAll({ after: 0, limit: 10_000 })()
    if (E.isLeft(all)) throw new Error(all.left.because)
    return all.right
  }
  /** What one process holds in its hands. */
  const ports = (holder: string): CrawlPorts => ({
    ledger,
    bodies,
    clock,
    fetch,
    claims: claimsOf(holder),
    isGone: (process) => gone.has(process),
  })
  return {
    clock,
    ledger,
    script,
    asked,
    gone,
    events,
    /** Ends what renews the claims: for tests that make many worlds. */
    close: async (): Promise<void> => {
      await Promise.all(open.map((close) => close()))
    },
    /** Runs before the scripted web answers, while the exchange is open. */
    onRequest: (act: BeforeAnswer) => {
      beforeAnswer = act
    },
    of: async <T extends EventType>(type: T): Promise<readonly EventOf<T>[]> =>
      (await events()).flatMap(({ event }) => (event.type === type ? [event as EventOf<T>] : [])),
    ports,
    crawl: (run = 'run-1', stop = new AbortController().signal): Crawl => ({
      ports: ports(run),
      run,
      policy,
      adopted: position(1),
      night: nightAt(policy.night, clock.now()),
      kind: 'night',
      scope: null,
      sites: siteStore(ledger),
      robots: robotsFiles(bodies),
      numbering: numbering(),
      tally: { requests: 0, responses: 0, failures: 0, abandoned: 0, withheld: 0, sites: 0 },
      underWay: new Set(),
      stop,
    }),
  }
}
