/**
 * Writes events behind a good history, as a crawl would or as a faulty one might: each step is a good
 * one unless the test changes it, and ten seconds pass between two of them.
 */
import { commitTo, SALT_BYTES } from '../../src/capture/commitment.ts'
import { instant, type Instant } from '../../src/kernel/instant.ts'
import { position, type Position } from '../../src/kernel/position.ts'
import { siteOfHost } from '../../src/kernel/site.ts'
import { originOf, siteOf } from '../../src/kernel/url.ts'
import type { Purpose } from '../../src/kernel/words.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import type { EventOf, LedgerEvent } from '../../src/ledger/event.ts'
import { runStream, siteStream, type StreamName } from '../../src/ledger/stream.ts'
import { nightAt } from '../../src/plan/night.ts'
import { present } from '../../src/kernel/assert.ts'
import type { AuditWorld } from './audit-world.ts'
import { fetchRule, type Policy } from '../../src/programmes/policy.ts'
import { nextOf, policy as publishers, url } from './site.ts'

type Of = {
  readonly subject?: string
  readonly hop?: number
  readonly via?: Position
  readonly target?: string
}
type Changes<
  T extends
    | 'RobotsDecided'
    | 'RequestSent'
    | 'ResponseReceived'
    | 'RequestFailed'
    | 'RobotsRead'
    | 'RedirectDecided'
    | 'RequestWithheld',
> = Partial<EventOf<T>>

const STEP_MS = 10_000

export class Planter {
  readonly recorded: Recorded[]
  now: Instant
  run = ''
  night = ''
  private n = 0
  private readonly versions = new Map<string, number>()
  private readonly world: AuditWorld
  private readonly robotsOf = new Map<string, EventOf<'RobotsRead'>>()

  private readonly policy: Policy

  /** `by`: whose policy it is, and what its first run has of its own. */
  constructor(
    past: readonly Recorded[],
    world: AuditWorld,
    by: { readonly policy: Policy; readonly run?: Partial<EventOf<'RunStarted'>> } = {
      policy: publishers,
    },
  ) {
    this.recorded = [...past]
    this.world = world
    const { policy } = by
    this.policy = policy
    for (const { stream, version } of past) this.versions.set(stream, version)
    // The next night, an hour after it began.
    const last = present(past.at(-1), 'a past').ts
    this.now = instant(nightAt(policy.night, last).endsAt + 3_600_000)
    this.start('run-planted', by.run)
  }

  wait(milliseconds: number): this {
    this.now = instant(this.now + milliseconds)
    return this
  }

  append(event: LedgerEvent, stream: StreamName, run = this.run): Position {
    const version = (this.versions.get(stream) ?? 0) + 1
    this.versions.set(stream, version)
    const at = position(this.recorded.length + 1)
    this.recorded.push({ ts: this.now, stream, version, run, position: at, event })
    return at
  }

  start(run: string, change: Partial<EventOf<'RunStarted'>> = {}): Position {
    const last = present(
      this.recorded.findLast(({ event }) => event.type === 'RunStarted')?.event,
      'an earlier run',
    ) as EventOf<'RunStarted'>
    const night = nightAt(this.policy.night, this.now).name
    this.run = run
    this.night = change.night ?? night
    this.n = 0
    return this.append({ ...last, night, process: run, ...change }, runStream(run))
  }

  /** Decision and request: the positions of both. */
  ask(
    purpose: Purpose,
    address: string,
    of: Of = {},
    change: { decided?: Changes<'RobotsDecided'>; sent?: Changes<'RequestSent'> } = {},
  ): { readonly decision: Position; readonly request: Position } {
    this.wait(STEP_MS)
    const about = url(address)
    const subject = siteOfHost(of.subject ?? siteOf(about))
    const stream = siteStream(siteOf(about))
    const decision = this.append(
      { ...this.decided(purpose, address), subject, ...change.decided },
      stream,
    )
    const sent: EventOf<'RequestSent'> = {
      type: 'RequestSent',
      v: 2,
      source: null,
      programme: this.policy.name,
      subject,
      n: (this.n += 1),
      url: about,
      target: of.target === undefined ? about : url(of.target),
      purpose,
      night: this.night,
      attempt: 1,
      hop: of.hop ?? 0,
      via: of.via ?? null,
      headers: [['user-agent', this.policy.userAgent]],
      fence: 1,
      decision,
      ...change.sent,
    }
    return { decision, request: this.append(sent, stream) }
  }

  decided(purpose: Purpose, address: string): EventOf<'RobotsDecided'> {
    const read = this.robotsOf.get(originOf(url(address)))
    const robots = purpose === 'robots'
    const exempt = fetchRule(this.policy, purpose).exemptFromRobots
    return {
      type: 'RobotsDecided',
      v: 1,
      programme: this.policy.name,
      subject: siteOf(url(address)),
      url: url(address),
      purpose,
      verdict: 'allow',
      basis: robots ? 'robots-file' : exempt ? 'exempt' : 'no-rule',
      access: robots ? null : (read?.access ?? null),
      robots: robots ? null : (read?.request ?? null),
      token: this.policy.robotsToken,
      group: [],
      rule: null,
      crawlDelayMs: null,
      reader: 'rfc9309@1',
    }
  }

  private closing(request: Position) {
    const sent = present(this.recorded[request - 1]?.event, 'a request') as EventOf<'RequestSent'>
    const { programme, subject, n, url, target, purpose, night, hop } = sent
    const next = nextOf(instant(this.now + 5_000))
    return { v: 1 as const, programme, subject, n, url, target, purpose, night, hop, request, next }
  }

  answer(
    request: Position,
    status = 200,
    body = '',
    change: Changes<'ResponseReceived'> = {},
  ): Position {
    const common = this.closing(request)
    const keeps = fetchRule(this.policy, common.purpose).keep === 'as-served'
    const event: EventOf<'ResponseReceived'> = {
      type: 'ResponseReceived',
      ...common,
      status,
      headers: [['Content-Type', 'text/plain']],
      headersOmitted: 0,
      body: keeps
        ? {
            kept: true,
            alg: 'sha256-salt32',
            commit: this.keep(body),
            bytes: Buffer.byteLength(body, 'latin1'),
            truncated: false,
          }
        : { kept: false, reason: 'discarded-by-policy' },
      refusal: null,
      remote: null,
      tls: null,
      timing: { connectMs: 1, firstByteMs: 1, totalMs: 1 },
      ...change,
    }
    return this.append(event, siteStream(siteOf(common.url)))
  }

  fail(request: Position, reason: EventOf<'RequestFailed'>['reason'] = 'timeout'): Position {
    const common = this.closing(request)
    const timing = { connectMs: null, firstByteMs: null, totalMs: 1 }
    return this.append(
      { type: 'RequestFailed', ...common, reason, code: '', remote: null, timing },
      siteStream(siteOf(common.url)),
    )
  }

  redirect(request: Position, to: string, change: Changes<'RedirectDecided'> = {}): Position {
    const { programme, subject, purpose, target, url: from, hop } = this.closing(request)
    this.answer(request, 302, '', { headers: [['Location', to]] })
    return this.append(
      {
        type: 'RedirectDecided',
        v: 1,
        programme,
        subject,
        request,
        purpose,
        target,
        from,
        status: 302,
        location: to,
        to: url(new URL(to, from).href),
        hop: hop + 1,
        verdict: 'follow',
        reason: 'followed',
        ...change,
      },
      siteStream(siteOf(from)),
    )
  }

  /** One latin-1 character an octet. */
  keep(body: string) {
    const salt = Buffer.alloc(SALT_BYTES, 9)
    const bytes = Buffer.from(body, 'latin1')
    const commit = commitTo(bytes, salt)
    this.world.stored.set(commit, Buffer.concat([salt, bytes]))
    return commit
  }

  /** Asks for an origin's robots.txt and reads it: the position of its request. */
  robots(
    origin: string,
    body = '',
    {
      status = 200,
      subject,
      change = {},
    }: { status?: number; subject?: string; change?: Changes<'RobotsRead'> } = {},
  ): Position {
    const address = `${origin}/robots.txt`
    const { request } = this.ask('robots', address, subject === undefined ? {} : { subject })
    this.answer(request, status, body)
    this.read(origin, request, { access: status === 200 ? 'rules' : 'unavailable', ...change })
    return request
  }

  read(origin: string, request: Position | null, change: Changes<'RobotsRead'> = {}): Position {
    const closing = this.recorded.findLast(
      ({ event }) => event.type === 'ResponseReceived' && event.request === request,
    )?.event
    const body = closing?.type === 'ResponseReceived' ? closing.body : undefined
    const about = url(`${origin}/`)
    const event: EventOf<'RobotsRead'> = {
      type: 'RobotsRead',
      v: 1,
      programme: this.policy.name,
      subject: siteOf(about),
      origin: originOf(about),
      night: this.night,
      access: 'rules',
      because: '',
      request,
      commit: body?.kept === true && change.access !== 'unavailable' ? body.commit : null,
      headers: [],
      truncated: false,
      crawlDelayMs: null,
      issues: 0,
      reader: 'rfc9309@1',
      ...change,
    }
    this.robotsOf.set(event.origin, event)
    return this.append(event, siteStream(siteOf(about)))
  }

  withhold(
    purpose: Purpose,
    address: string,
    change: Changes<'RequestWithheld'> = {},
    decided: Changes<'RobotsDecided'> = {},
  ) {
    const about = url(address)
    const stream = siteStream(siteOf(about))
    const decision = this.append(
      { ...this.decided(purpose, address), verdict: 'deny', basis: 'rule', ...decided },
      stream,
    )
    const event: EventOf<'RequestWithheld'> = {
      type: 'RequestWithheld',
      v: 1,
      programme: this.policy.name,
      subject: siteOf(about),
      url: about,
      purpose,
      night: this.night,
      reason: 'robots-disallow',
      detail: '',
      until: null,
      decision,
      ...change,
    }
    return this.append(event, stream)
  }

  act(
    type: 'SiteExcluded' | 'SiteReadmitted' | 'SiteResumed',
    host: string,
    run = 'an-act',
  ): Position {
    const site = siteOfHost(host)
    return this.append({ type, v: 1, site, by: 'A. Person', note: null }, siteStream(site), run)
  }
}
