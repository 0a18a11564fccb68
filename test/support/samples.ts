/**
 * One invented event of each type, as a night might record it: the source of the frozen entries in
 * schema/events/ (see scripts/freeze-event.ts). The compiler asks for a sample of every type.
 */
import { sha256, sha256Hex } from '../../src/kernel/digest.ts'
import { instant, type Instant, later } from '../../src/kernel/instant.ts'
import { position } from '../../src/kernel/position.ts'
import { siteOfHost } from '../../src/kernel/site.ts'
import { originOf, parseHttpUrl } from '../../src/kernel/url.ts'
import type { Envelope } from '../../src/ledger/entry.ts'
import type { EventOf, EventType, LedgerEvent } from '../../src/ledger/event.ts'
import {
  claimStream,
  logStream,
  programmeStream,
  projectionStream,
  runStream,
  siteStream,
  type StreamName,
  timestampStream,
} from '../../src/ledger/stream.ts'
import { headText } from '../../src/ledger/tlog/head.ts'
import { formatNote } from '../../src/ledger/tlog/note.ts'
import { right } from './either.ts'
import { noteSigner } from './note-signer.ts'

const url = (text: string) => right(parseHttpUrl(text))

const site = siteOfHost('morning-post.example')
const programme = 'plain-reckoner'
const night = '2026-11-30'
const start: Instant = instant(Date.UTC(2026, 10, 30, 1, 0))
const run = '20261130T010000Z-5f0c2a'
const robotsUrl = url('https://morning-post.example/robots.txt')
const adsTxtUrl = url('https://morning-post.example/ads.txt')
const homepageUrl = url('https://morning-post.example/')
const policy = '{"name":"plain-reckoner","pauseSeconds":5}\n'
const commit = sha256Hex('salt and body')
/** The last head of a log before this one, signed. */
const predecessorText = headText({
  origin: 'ledger.example/before',
  size: 40_961,
  root: sha256(Buffer.from('its entries')),
})
const predecessor = formatNote({
  text: predecessorText,
  signatures: [noteSigner('ledger.example/before', 'log', 1).sign(predecessorText)],
})
const timing = { connectMs: 12, firstByteMs: 87, totalMs: 95 }
const remote = { address: '192.0.2.17', port: 443 }
const next = {
  at: later(start, 22_095),
  floorMs: 5_000,
  crawlDelayMs: 10_000,
  retryAfterMs: null,
  cooldownUntil: null,
  cooldownBecause: null,
}
const closing = {
  programme,
  subject: site,
  request: position(41),
  n: 7,
  url: adsTxtUrl,
  target: adsTxtUrl,
  purpose: 'ads-txt',
  night,
  hop: 0,
  next,
} as const
const act = { site, by: 'A. Operator', note: 'asked for by letter of 28 November' }
const sourceAct = {
  programme: 'public-records-check',
  source: 'springfield-permits',
  site,
  by: 'A. Operator',
}

type Samples = {
  readonly [T in EventType]: {
    readonly stream: StreamName
    readonly version: number
    readonly event: EventOf<T>
  }
}

const onSite = siteStream(site)
const onProgramme = programmeStream(programme)

const samples: Samples = {
  LogOpened: {
    stream: logStream,
    version: 1,
    event: {
      type: 'LogOpened',
      v: 2,
      origin: 'ledger.example/crawl',
      clock: 'system',
      software: 'crawl-ledger/0.1.0',
      predecessor,
    },
  },
  KeyRotated: {
    stream: logStream,
    version: 2,
    event: {
      type: 'KeyRotated',
      v: 1,
      oldKey: 'ledger.example/crawl+f22e7510+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4',
      newKey: 'ledger.example/crawl+b9d41fc4+ASmsuuFBvMrwsi4alNNNC8c2HlJtC/4SyJeUvJMilm3X',
      by: 'A. Operator',
      note: 'a new machine',
    },
  },
  WitnessesNamed: {
    stream: logStream,
    version: 3,
    event: {
      type: 'WitnessesNamed',
      v: 1,
      witnesses: [
        {
          url: url('https://witness.example/tlog/'),
          vkey: 'witness1.example/w+33762a59+BCmsuuFBvMrwsi4alNNNC8c2HlJtC/4SyJeUvJMilm3X',
        },
      ],
      quorum: null,
      by: 'A. Operator',
      note: 'the first one',
    },
  },
  HeadTimestamped: {
    stream: timestampStream,
    version: 1,
    event: {
      type: 'HeadTimestamped',
      v: 1,
      size: 12,
      digest: sha256Hex('ledger.example/crawl\n12\n…\n'),
      authority: url('https://tsa.example/stamp'),
      time: instant(Date.parse('2026-11-08T02:31:00.262Z')),
      reply: 'MIIFMTADAgEA',
    },
  },
  ProgrammeAdopted: {
    stream: onProgramme,
    version: 1,
    event: {
      type: 'ProgrammeAdopted',
      v: 1,
      programme,
      policy,
      policyDigest: sha256Hex(policy),
    },
  },
  SourceListAdopted: {
    stream: onProgramme,
    version: 2,
    event: {
      type: 'SourceListAdopted',
      v: 1,
      programme,
      digest: sha256Hex('the list'),
      part: 1,
      parts: 1,
      sources: [{ id: 'first-network', url: url('https://first-network.example/sellers.json') }],
    },
  },
  RunStarted: {
    stream: runStream(run),
    version: 1,
    event: {
      type: 'RunStarted',
      v: 2,
      programme,
      adopted: position(2),
      night,
      kind: 'night',
      sources: sha256Hex('the list'),
      software: 'crawl-ledger/0.1.0',
      node: 'v24.22.3',
      readers: { 'ads-txt': '1', rfc9309: '1', 'sellers-json': '1' },
      process: 'host.example 4711',
      job: 'first-network',
      also: [siteOfHost('archive.example')],
    },
  },
  SiteListed: {
    stream: onSite,
    version: 1,
    event: {
      type: 'SiteListed',
      v: 1,
      programme,
      site,
      reader: 'sellers-json@1',
      namings: 1,
      namedBy: [
        {
          source: 'first-network',
          request: position(8),
          index: 3,
          sellerId: 'pub-0042 “Morgenpost”',
          domain: 'www.Morning-Post.example',
        },
      ],
    },
  },
  RobotsDecided: {
    stream: onSite,
    version: 5,
    event: {
      type: 'RobotsDecided',
      v: 1,
      programme,
      subject: site,
      url: url('https://morning-post.example/?lang=de'),
      purpose: 'homepage',
      verdict: 'deny',
      basis: 'rule',
      access: 'rules',
      robots: position(36),
      token: 'PlainReckonerBot',
      group: ['PlainReckonerBot', 'OtherBot'],
      rule: { line: 4, text: 'Disallow: /*?lang=', verdict: 'disallow' },
      crawlDelayMs: 10_000,
      reader: 'rfc9309@1',
    },
  },
  RequestWithheld: {
    stream: onSite,
    version: 6,
    event: {
      type: 'RequestWithheld',
      v: 1,
      programme,
      subject: site,
      url: homepageUrl,
      purpose: 'homepage',
      night,
      reason: 'robots-disallow',
      detail: 'line 4: Disallow: /',
      until: later(start, 86_400_000),
      decision: position(43),
    },
  },
  RequestSent: {
    stream: onSite,
    version: 3,
    event: {
      type: 'RequestSent',
      v: 2,
      programme,
      subject: site,
      n: 7,
      url: adsTxtUrl,
      target: adsTxtUrl,
      purpose: 'ads-txt',
      night,
      attempt: 1,
      hop: 0,
      via: null,
      headers: [
        ['User-Agent', 'PlainReckonerBot/1.0 (+mailto:contact@plainreckoner.com)'],
        ['Accept', 'text/plain, */*;q=0.1'],
      ],
      fence: 12,
      decision: position(40),
      source: 'first-network',
    },
  },
  ResponseReceived: {
    stream: onSite,
    version: 4,
    event: {
      ...closing,
      type: 'ResponseReceived',
      v: 1,
      status: 200,
      headers: [
        ['Content-Type', 'text/plain; charset=utf-8'],
        ['X-Served-By', 'Zürich\t1'],
      ],
      headersOmitted: 1,
      body: { kept: true, alg: 'sha256-salt32', commit, bytes: 312, truncated: false },
      refusal: null,
      remote,
      tls: {
        protocol: 'TLSv1.3',
        cipher: 'TLS_AES_256_GCM_SHA384',
        certificateSha256: sha256Hex('certificate'),
      },
      timing,
    },
  },
  RequestFailed: {
    stream: onSite,
    version: 4,
    event: {
      ...closing,
      type: 'RequestFailed',
      v: 1,
      reason: 'timeout',
      code: 'UND_ERR_BODY_TIMEOUT',
      remote,
      timing: { ...timing, firstByteMs: null, totalMs: 30_000 },
    },
  },
  RequestAbandoned: {
    stream: onSite,
    version: 4,
    event: { ...closing, type: 'RequestAbandoned', v: 1, sentIn: '20261129T010000Z-77aa01' },
  },
  RedirectDecided: {
    stream: onSite,
    version: 5,
    event: {
      type: 'RedirectDecided',
      v: 1,
      programme,
      subject: site,
      request: position(45),
      purpose: 'homepage',
      target: homepageUrl,
      from: homepageUrl,
      status: 301,
      location: '/en/',
      to: url('https://morning-post.example/en/'),
      hop: 1,
      verdict: 'refuse',
      reason: 'below-root',
    },
  },
  RobotsRead: {
    stream: onSite,
    version: 2,
    event: {
      type: 'RobotsRead',
      v: 1,
      programme,
      subject: site,
      origin: originOf(robotsUrl),
      night,
      access: 'rules',
      because: '200',
      request: position(36),
      commit,
      headers: [['Content-Type', 'text/plain']],
      truncated: false,
      crawlDelayMs: 10_000,
      issues: 2,
      reader: 'rfc9309@1',
    },
  },
  FetchConcluded: {
    stream: onSite,
    version: 5,
    event: {
      type: 'FetchConcluded',
      v: 1,
      programme,
      subject: site,
      purpose: 'ads-txt',
      target: adsTxtUrl,
      night,
      outcome: 'answered',
      because: '',
      url: url('https://www.morning-post.example/ads.txt'),
      hops: 1,
      redirects: [301],
      request: position(41),
      reused: false,
      status: 200,
      headers: [['Content-Type', 'text/plain; charset=utf-8']],
      commit,
      truncated: false,
    },
  },
  NetworkObserved: {
    stream: onSite,
    version: 7,
    event: {
      type: 'NetworkObserved',
      v: 1,
      programme,
      subject: site,
      request: position(47),
      night,
      reader: 'ad-network@1',
      read: 'read',
      manager: 'first-network',
      exchange: ['second-network'],
      hosts: ['tags.first-network.example'],
      hostsOmitted: 0,
    },
  },
  SiteStopped: {
    stream: onSite,
    version: 9,
    event: {
      type: 'SiteStopped',
      v: 1,
      programme,
      site,
      strikes: 4,
      requests: [position(12), position(19), position(27), position(36)],
    },
  },
  SiteExcluded: { stream: onSite, version: 8, event: { type: 'SiteExcluded', v: 1, ...act } },
  SiteReadmitted: {
    stream: onSite,
    version: 9,
    event: { type: 'SiteReadmitted', v: 1, ...act, note: null },
  },
  SiteResumed: {
    stream: onSite,
    version: 10,
    event: { type: 'SiteResumed', v: 1, ...act, note: '' },
  },
  SitePaced: {
    stream: onSite,
    version: 11,
    event: { type: 'SitePaced', v: 1, ...act, seconds: 60 },
  },
  PathExcluded: {
    stream: onSite,
    version: 12,
    event: { type: 'PathExcluded', v: 1, ...act, path: '/permits/*.pdf$' },
  },
  PathReadmitted: {
    stream: onSite,
    version: 13,
    event: { type: 'PathReadmitted', v: 1, ...act, note: null, path: '/permits/*.pdf$' },
  },
  SourceNotRead: {
    stream: onSite,
    version: 14,
    event: { type: 'SourceNotRead', v: 1, ...sourceAct, reason: '403 on six nights' },
  },
  SourceReinstated: {
    stream: onSite,
    version: 15,
    event: { type: 'SourceReinstated', v: 1, ...sourceAct, note: null },
  },
  BodyErased: {
    stream: onSite,
    version: 31,
    event: {
      type: 'BodyErased',
      v: 1,
      ...act,
      basis: 'site-request',
      response: position(42),
      request: position(41),
      commit,
      bytes: 2_048,
    },
  },
  ReaderAdopted: {
    stream: projectionStream('ads-txt-state'),
    version: 1,
    event: {
      type: 'ReaderAdopted',
      v: 1,
      projection: 'ads-txt-state',
      projectionVersion: 1,
      reader: 'ads-txt@2',
      before: 'ads-txt@1',
      by: 'A. Operator',
      reason: 'A record may end with a comment',
    },
  },
  RunEnded: {
    stream: runStream(run),
    version: 2,
    event: {
      type: 'RunEnded',
      v: 1,
      programme,
      status: 'completed',
      requests: 12,
      responses: 10,
      failures: 2,
      abandoned: 0,
      withheld: 3,
      sites: 4,
    },
  },
  ClaimPublished: {
    stream: claimStream('5f0c2a9b1d3e'),
    version: 1,
    event: {
      type: 'ClaimPublished',
      v: 1,
      id: '5f0c2a9b1d3e',
      statement: 'On 30 November 2026 morning-post.example had an ads.txt.',
      by: 'A. Operator',
      cites: [{ position: position(5), type: 'ResponseReceived' }],
      basis: {
        kind: 'state',
        projection: 'ads-txt-state',
        version: 1,
        reader: 'ads-txt@1',
        site,
        where: [],
        column: 'state',
        value: '"ok"',
        at: position(12),
      },
    },
  },
}

export const sampleOf = (type: EventType): { event: LedgerEvent; envelope: Envelope } => {
  const { stream, version, event } = samples[type]
  return { event, envelope: { ts: later(start, version * 1_095), stream, version, run } }
}
