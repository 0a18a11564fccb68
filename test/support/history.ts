/**
 * Histories as a crawl writes them: linked events with positions, streams and rising times, and the
 * bodies they mention. Everything is given; nothing here draws lots or looks at a clock.
 */
import { commitTo, SALT_BYTES } from '../../src/capture/commitment.ts'
import type { StoredBodies } from '../../src/adapters/memory/bodies.ts'
import { sha256Hex, type Digest } from '../../src/kernel/digest.ts'
import { instant, later } from '../../src/kernel/instant.ts'
import { position, type Position } from '../../src/kernel/position.ts'
import { siteOfHost, type Site } from '../../src/kernel/site.ts'
import { type HttpUrl, originOf, parseHttpUrl, siteOf } from '../../src/kernel/url.ts'
import type { Header, Purpose } from '../../src/kernel/words.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import type { EventOf, LedgerEvent } from '../../src/ledger/event.ts'
import type { NextAllowed } from '../../src/ledger/exchange.ts'
import {
  type StreamName,
  programmeStream,
  projectionStream,
  runStream,
  siteStream,
} from '../../src/ledger/stream.ts'
import { right } from './either.ts'

export const url = (text: string): HttpUrl => right(parseHttpUrl(text))
export const site = (host: string): Site => siteOfHost(host)

const START = Date.UTC(2026, 10, 30, 1)
const PATHS = {
  robots: '/robots.txt',
  'ads-txt': '/ads.txt',
  homepage: '/',
  'sellers-json': '/sellers.json',
  page: '/page',
  probe: '/page',
}

/** How one request ends. */
export type Ending =
  | {
      readonly tag: 'answer'
      readonly status: number
      readonly body?: string
      readonly type?: string
    }
  | { readonly tag: 'failure'; readonly reason: EventOf<'RequestFailed'>['reason'] }
  | { readonly tag: 'abandoned' }
  | { readonly tag: 'open' }

export type FetchAsked = {
  readonly site: string
  readonly purpose: Purpose
  readonly target?: string
  /** Redirect statuses followed before the ending, each within the site. */
  readonly redirects?: readonly number[]
  readonly cooldownMs?: number
}

export class History {
  readonly recorded: Recorded[] = []
  readonly bodies: StoredBodies = new Map()
  readonly programme: string
  run = 'run-1'
  night = '2026-11-30'
  private n = 0
  private readonly versions = new Map<string, number>()

  constructor(programme = 'plain-reckoner') {
    this.programme = programme
  }

  /** Appends one event, a second after the one before. */
  append(event: LedgerEvent, stream: StreamName): Position {
    const version = (this.versions.get(stream) ?? 0) + 1
    this.versions.set(stream, version)
    const at = position(this.recorded.length + 1)
    const ts = later(instant(START), at * 1000)
    this.recorded.push({ ts, stream, version, run: this.run, position: at, event })
    return at
  }

  keep(body: string | Buffer): Digest {
    const salt = Buffer.alloc(SALT_BYTES, this.bodies.size % 251)
    const bytes = Buffer.from(body)
    const commit = commitTo(bytes, salt)
    this.bodies.set(commit, Buffer.concat([salt, bytes]))
    return commit
  }

  startRun(run: string, night = this.night): Position {
    Object.assign(this, { run, night })
    this.n = 0
    return this.append(
      {
        type: 'RunStarted',
        v: 2,
        job: null,
        also: [],
        programme: this.programme,
        adopted: position(1),
        night,
        kind: 'night',
        sources: sha256Hex('sources'),
        software: 'crawl-ledger 0.1.0',
        node: 'v24',
        readers: { 'ads-txt': 'ads-txt@1' },
        process: 'host 1',
      },
      runStream(run),
    )
  }

  endRun(status: EventOf<'RunEnded'>['status'] = 'completed'): Position {
    const counts = { responses: this.n, failures: 0, abandoned: 0, withheld: 0, sites: 1 }
    return this.append(
      { type: 'RunEnded', v: 1, programme: this.programme, status, requests: this.n, ...counts },
      runStream(this.run),
    )
  }

  /** Records a policy as it is shipped, under the programme's name. */
  adoptPolicy(policy: string): Position {
    const { programme } = this
    return this.append(
      { type: 'ProgrammeAdopted', v: 1, programme, policy, policyDigest: sha256Hex(policy) },
      programmeStream(programme),
    )
  }

  adoptReader(projection: string, reader: string, before: string | null = null): Position {
    const who = { by: 'A Person', reason: null }
    return this.append(
      { type: 'ReaderAdopted', v: 1, projection, projectionVersion: 1, reader, before, ...who },
      projectionStream(projection),
    )
  }

  adoptSources(...sources: readonly (readonly [id: string, url: string])[]): Position {
    return this.append(
      {
        type: 'SourceListAdopted',
        v: 1,
        programme: this.programme,
        digest: sha256Hex(JSON.stringify(sources)),
        part: 1,
        parts: 1,
        sources: sources.map(([id, address]) => ({ id, url: url(address) })),
      },
      programmeStream(this.programme),
    )
  }

  list(host: string, namings: EventOf<'SiteListed'>['namedBy']): Position {
    return this.append(
      {
        type: 'SiteListed',
        v: 1,
        programme: this.programme,
        site: site(host),
        reader: 'sellers-json@1',
        namings: Math.max(1, namings.length),
        namedBy: namings,
      },
      siteStream(site(host)),
    )
  }

  withhold(host: string, purpose: Purpose, reason: EventOf<'RequestWithheld'>['reason']): Position {
    const address = url(`https://${host}${PATHS[purpose]}`)
    return this.append(
      {
        type: 'RequestWithheld',
        v: 1,
        programme: this.programme,
        subject: site(host),
        url: address,
        purpose,
        night: this.night,
        reason,
        detail: '',
        until: null,
        decision: null,
      },
      siteStream(siteOf(address)),
    )
  }

  act(type: 'SiteExcluded' | 'SiteReadmitted' | 'SiteResumed', host: string): Position {
    const fields = { site: site(host), by: 'A Person', note: null }
    return this.append({ type, v: 1, ...fields }, siteStream(site(host)))
  }

  stop(host: string, requests: readonly Position[]): Position {
    const { programme } = this
    const strikes = Math.max(1, requests.length)
    return this.append(
      { type: 'SiteStopped', v: 1, programme, site: site(host), strikes, requests },
      siteStream(site(host)),
    )
  }

  robotsRead(
    host: string,
    access: EventOf<'RobotsRead'>['access'],
    request: Position | null = null,
    body?: string | Buffer,
  ): Position {
    return this.append(
      {
        type: 'RobotsRead',
        v: 1,
        programme: this.programme,
        subject: site(host),
        origin: originOf(url(`https://${host}/`)),
        night: this.night,
        access,
        because: `status of ${access}`,
        request,
        commit: body === undefined ? null : this.keep(body),
        headers: [],
        truncated: false,
        crawlDelayMs: null,
        issues: 0,
        reader: 'robots@1',
      },
      siteStream(site(host)),
    )
  }

  /** `landed`: where redirects led to. What was seen stands in the stream of the site that answered. */
  observe(
    host: string,
    manager: string | null,
    more: Partial<EventOf<'NetworkObserved'>> = {},
    landed = host,
  ) {
    const asked = { site: host, purpose: 'homepage' as const }
    const address = url(`https://${landed}/`)
    const request = this.request(asked, address, 0, { tag: 'answer', status: 200 })
    return this.append(
      {
        type: 'NetworkObserved',
        v: 1,
        programme: this.programme,
        subject: site(host),
        request,
        night: this.night,
        reader: 'ad-network@1',
        read: 'read',
        manager,
        exchange: [],
        hosts: [],
        hostsOmitted: 0,
        ...more,
      },
      siteStream(siteOf(address)),
    )
  }

  /** The events of one request, decision to closing. Answers the position of RequestSent. */
  request(asked: FetchAsked, address: HttpUrl, hop: number, ending: Ending): Position {
    const decision = this.decide(asked, address)
    const target = targetOf(asked)
    const common = {
      programme: this.programme,
      subject: site(asked.site),
      n: (this.n += 1),
      url: address,
      target,
      purpose: asked.purpose,
      night: this.night,
      hop,
    }
    const stream = siteStream(siteOf(address))
    const headers: Header[] = [['User-Agent', 'ExampleBot/1.0']]
    const request = this.append(
      {
        type: 'RequestSent',
        v: 2,
        ...common,
        source: null,
        attempt: 1,
        via: null,
        headers,
        fence: 1,
        decision,
      },
      stream,
    )
    const closing = { ...common, request, next: this.next(asked) }
    const timing = { connectMs: 3, firstByteMs: 20, totalMs: 30 }
    switch (ending.tag) {
      case 'answer':
        this.append(
          {
            type: 'ResponseReceived',
            v: 1,
            ...closing,
            status: ending.status,
            headers: contentType(ending),
            headersOmitted: 0,
            body:
              ending.body === undefined
                ? { kept: false, reason: 'discarded-by-policy' }
                : {
                    kept: true,
                    alg: 'sha256-salt32',
                    commit: this.keep(ending.body),
                    bytes: Buffer.byteLength(ending.body),
                    truncated: false,
                  },
            refusal: null,
            remote: { address: '192.0.2.7', port: 443 },
            tls: null,
            timing,
          },
          stream,
        )
        break
      case 'failure':
        this.append(
          {
            type: 'RequestFailed',
            v: 1,
            ...closing,
            reason: ending.reason,
            code: 'E',
            remote: null,
            timing,
          },
          stream,
        )
        break
      case 'abandoned':
        this.append({ type: 'RequestAbandoned', v: 1, ...closing, sentIn: this.run }, stream)
        break
      case 'open':
        break
    }
    return request
  }

  /** A whole fetch with its conclusion. Answers the position of FetchConcluded (or of an open request). */
  fetch(asked: FetchAsked, ending: Ending): Position {
    const { redirects = [] } = asked
    let address = targetOf(asked)
    for (const [i, status] of redirects.entries()) {
      const request = this.request(asked, address, i, { tag: 'answer', status, body: '' })
      const to = url(`${new URL(address).origin}/moved-${i}`)
      this.redirect(asked, { request, from: address, to, status, hop: i + 1 })
      address = to
    }
    const request = this.request(asked, address, redirects.length, ending)
    if (ending.tag === 'open') return request
    return this.conclude(asked, {
      outcome:
        ending.tag === 'answer' ? 'answered' : ending.tag === 'failure' ? 'failed' : 'interrupted',
      because: ending.tag === 'failure' ? ending.reason : '',
      url: address,
      request,
      status: ending.tag === 'answer' ? ending.status : null,
      headers: ending.tag === 'answer' ? contentType(ending) : [],
      commit: this.commitOf(request),
    })
  }

  conclude(asked: FetchAsked, fields: Partial<EventOf<'FetchConcluded'>>): Position {
    const target = targetOf(asked)
    return this.append(
      {
        type: 'FetchConcluded',
        v: 1,
        programme: this.programme,
        subject: site(asked.site),
        purpose: asked.purpose,
        target,
        night: this.night,
        outcome: 'answered',
        because: '',
        url: target,
        hops: asked.redirects?.length ?? 0,
        redirects: asked.redirects ?? [],
        request: null,
        reused: false,
        status: null,
        headers: [],
        commit: null,
        truncated: false,
        ...fields,
      },
      siteStream(siteOf(target)),
    )
  }

  redirect(
    asked: FetchAsked,
    hop: { request: Position; from: HttpUrl; to: HttpUrl; status: number; hop: number },
  ): Position {
    const { request, from, to, status } = hop
    return this.append(
      {
        type: 'RedirectDecided',
        v: 1,
        programme: this.programme,
        subject: site(asked.site),
        request,
        purpose: asked.purpose,
        target: targetOf(asked),
        from,
        status,
        location: to,
        to,
        hop: hop.hop,
        verdict: 'follow',
        reason: 'followed',
      },
      siteStream(siteOf(from)),
    )
  }

  private decide(asked: FetchAsked, address: HttpUrl): Position {
    return this.append(
      {
        type: 'RobotsDecided',
        v: 1,
        programme: this.programme,
        subject: site(asked.site),
        url: address,
        purpose: asked.purpose,
        verdict: 'allow',
        basis: 'exempt',
        access: 'rules',
        robots: null,
        token: 'ExampleBot',
        group: ['*'],
        rule: { line: 2, text: '/private', verdict: 'disallow' },
        crawlDelayMs: null,
        reader: 'robots@1',
      },
      siteStream(siteOf(address)),
    )
  }

  private next({ cooldownMs }: FetchAsked): NextAllowed {
    const now = later(instant(START), (this.recorded.length + 1) * 1000)
    const cooldownUntil = cooldownMs === undefined ? null : later(now, cooldownMs)
    return {
      at: cooldownUntil ?? later(now, 5_000),
      floorMs: 5_000,
      crawlDelayMs: null,
      retryAfterMs: cooldownMs ?? null,
      cooldownUntil,
      cooldownBecause: cooldownMs === undefined ? null : 'status 429',
    }
  }

  private commitOf(request: Position): Digest | null {
    // The closing event stands right behind its request, whose position is its 1-based place.
    const closing = this.recorded[request]?.event
    return closing?.type === 'ResponseReceived' && closing.body.kept ? closing.body.commit : null
  }
}

const targetOf = (asked: FetchAsked): HttpUrl =>
  url(asked.target ?? `https://${asked.site}${PATHS[asked.purpose]}`)

const contentType = (ending: { readonly type?: string }): Header[] => [
  ['Content-Type', ending.type ?? 'text/plain'],
]
