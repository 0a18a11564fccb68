/**
 * Fourteen days on which PtaKaroBot and public-records-check read their pages on real sockets, into one
 * ledger on an embedded PostgreSQL, with the simulated clock. Each host of the web does one thing that
 * a promise is about; people act in between.
 */
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { AccessLine } from '../../scripts/rehearsal/access-log.ts'
import type { Asked, Page } from '../../scripts/rehearsal/page.ts'
import { rehearsalPolicy } from '../../scripts/rehearsal/policy.ts'
import { type Publisher, publisher } from '../../scripts/rehearsal/publisher.ts'
import {
  answer,
  bare,
  html,
  plainText,
  redirect,
  type Reply,
} from '../../scripts/rehearsal/reply.ts'
import { startRehearsalWeb } from '../../scripts/rehearsal/web.ts'
import { type Act, recordAct } from '../../src/cli/acts/record.ts'
import type { Io } from '../../src/cli/command.ts'
import { newRun, runOneNight } from '../../src/cli/night.ts'
import { loadProgramme, type Programme, programmeOf } from '../../src/cli/programme.ts'
import { compose, fetcherFor, type Opened } from '../../src/compose.ts'
import { type Config, configOf } from '../../src/config.ts'
import { siteOfHost } from '../../src/kernel/site.ts'
import type { PromiseResult } from '../../src/audit/promise-audit.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import { nightAt } from '../../src/plan/night.ts'
import type { Source } from '../../src/programmes/sources.ts'
import { fetchByHand, type HandReport } from '../../src/shell/by-hand.ts'
import { promisesOf } from './audit-world.ts'
import { right } from './either.ts'
import { allRecorded } from './rehearsed.ts'
import { url } from './site.ts'

export const DAYS = 14
const FIRST_DAY = '2031-01-01T12:00:00Z'

/** Counted from 1: the day a moment falls into. Both programmes' nights lie within one. */
export const dayOf = (moment: number): number =>
  Math.floor((moment - Date.parse(FIRST_DAY)) / 86_400_000) + 1

const records = (etag = '"records"'): Reply =>
  answer(
    200,
    [
      ['Content-Type', 'text/html; charset=utf-8'],
      ['ETag', etag],
    ],
    '<!doctype html><title>Records</title><p>One, two, three.\n',
  )

/** Replies in turn, from the first again on each day. */
const inTurn = (...replies: readonly Reply[]): Page => {
  const turns = new Map<number, number>()
  return ({ night }) => {
    const turn = turns.get(night) ?? 0
    turns.set(night, turn + 1)
    return replies[Math.min(turn, replies.length - 1)] ?? bare(500)
  }
}

const onDay =
  (day: number, then: Page, otherwise: Page): Page =>
  (asked: Asked) =>
    asked.night === day ? then(asked) : otherwise(asked)

const tooMany = (...retryAfter: readonly string[]): Reply =>
  bare(429, ...retryAfter.map((value) => ['Retry-After', value] as const))
const unavailable = (...retryAfter: readonly string[]): Reply =>
  bare(503, ...retryAfter.map((value) => ['Retry-After', value] as const))
const CAPTCHA = html(
  '<!doctype html><title>Are you a human?</title><h1>Are you a human?</h1><div class="g-recaptcha"></div>',
)
const good: Page = () => records()
const host = (name: string, about: string, draft: Partial<Parameters<typeof publisher>[0]>) =>
  publisher({ host: `${name}.example`, about, listed: false, elsewhere: good, ...draft })

const HOSTS: readonly Publisher[] = [
  host('plain', 'Answers; unchanged pages are 304.', {
    elsewhere: ({ night }) => (night === 1 ? records() : answer(304, [])),
  }),
  host('patient', '429 once, with Retry-After 30.', {
    elsewhere: inTurn(tooMany('30'), records()),
  }),
  host('busy', '503 without end, no Retry-After.', { elsewhere: () => unavailable() }),
  host('flaky', '503, 503, then an answer.', {
    elsewhere: inTurn(unavailable(), unavailable(), records()),
  }),
  host('later', '429 for three days, said once.', {
    elsewhere: onDay(2, () => tooMany('259200'), good),
  }),
  host('minute', '429 with Retry-After 61.', { elsewhere: () => tooMany('61') }),
  host('refuses', '403 on two days.', {
    elsewhere: (asked) => (asked.night <= 2 ? bare(403) : records()),
  }),
  host('asks-human', 'A CAPTCHA, served as 200.', { elsewhere: () => CAPTCHA }),
  host('slow', 'Crawl-delay 20.', { robots: () => plainText('User-agent: *\nCrawl-delay: 20\n') }),
  host('too-slow', 'Crawl-delay 121.', {
    robots: () => plainText('User-agent: *\nCrawl-delay: 121\n'),
  }),
  host('denies', 'Disallows the page.', {
    robots: () => plainText('User-agent: *\nDisallow: /records\n'),
  }),
  host('moved', 'The page lies on another site now.', {
    elsewhere: () => redirect(302, 'https://elsewhere.example/records'),
  }),
  host('elsewhere', 'Where it lies; its robots.txt allows it.', {}),
  host('moved-badly', 'The page lies where robots.txt disallows it.', {
    elsewhere: () => redirect(302, 'https://denies.example/records'),
  }),
  host('downgrades', 'Leads from https to http.', {
    elsewhere: ({ path }) => redirect(302, `http://downgrades.example${path}x`),
  }),
  host('robots-down', 'Its robots.txt is 503.', { robots: () => unavailable() }),
  host('cuts', 'Every connection to the page is closed.', { elsewhere: () => ({ tag: 'reset' }) }),
  host('expired', 'An expired certificate.', { certificate: () => 'expired' }),
  host('tired', '503 without end, for the checker alone.', { elsewhere: () => unavailable() }),
  host('shared', 'Pages of two sources.', {}),
  host('said-no', 'A source that a person marks as not read.', { elsewhere: () => bare(403) }),
  host('owner', 'Its owner asks for a slower pace and one path left alone.', {}),
]

const page = (id: string, path = '/records'): Source => ({
  id,
  url: url(`https://${id}.example${path}`),
})

/** PtaKaroBot's source list: two sources of pages share a website. */
const SHOP: readonly Source[] = [
  ...['plain', 'patient', 'busy', 'flaky', 'later', 'minute', 'refuses', 'asks-human'].map((id) =>
    page(id, '/phones'),
  ),
  ...['slow', 'too-slow', 'moved', 'robots-down', 'cuts', 'expired', 'downgrades'].map((id) =>
    page(id, '/phones'),
  ),
  page('slow', '/tablets'),
  { id: 'shared-one', url: url('https://shared.example/one') },
  { id: 'shared-two', url: url('https://shared.example/two') },
  { id: 'owner', url: url('https://owner.example/one') },
  { id: 'owner', url: url('https://owner.example/two') },
  { id: 'owner', url: url('https://owner.example/left/alone') },
]
const RECORDS: readonly Source[] = [
  ...['plain', 'busy', 'refuses', 'denies', 'moved', 'moved-badly', 'robots-down', 'cuts'].map(
    (id) => page(id),
  ),
  ...['expired', 'said-no', 'slow', 'minute', 'tired'].map((id) => page(id)),
]

/** What people do after the nights of a day. */
const ACTS: ReadonlyMap<number, readonly Act[]> = new Map<number, readonly Act[]>([
  [
    2,
    [
      {
        type: 'SourceNotRead',
        v: 1,
        programme: 'public-records-check',
        source: 'said-no',
        site: siteOfHost('said-no.example'),
        by: 'A. Person',
        reason: 'it answers 403',
      },
    ],
  ],
  [
    3,
    [
      {
        type: 'SitePaced',
        v: 1,
        site: siteOfHost('owner.example'),
        by: 'A. Person',
        note: null,
        seconds: 45,
      },
      {
        type: 'PathExcluded',
        v: 1,
        site: siteOfHost('owner.example'),
        by: 'A. Person',
        note: null,
        path: '/left/',
      },
    ],
  ],
])

export type PageNights = {
  readonly log: readonly AccessLine[]
  readonly recorded: readonly Recorded[]
  readonly programmes: ReadonlyMap<
    string,
    { readonly policy: Programme['policy']; readonly sources: readonly Source[] }
  >
  readonly textOf: (commit: string) => string
  /** What the auditor makes of them. */
  readonly audited: readonly PromiseResult[]
  /** Pages fetched by hand: soon after a night, more than a day after it, and off the list. */
  readonly byHand: {
    readonly soon: HandReport
    readonly late: HandReport
    readonly off: HandReport
  }
}

const nobody: Io = {
  out: async () => {},
  err: () => {},
  in: (async function* () {})(),
  isTerminal: false,
  columns: 100,
  environment: {},
  stop: new AbortController().signal,
  exitWith: () => {},
}

const rehearsed = async (name: string): Promise<Programme> =>
  programmeOf(name, rehearsalPolicy((await loadProgramme(name)).policyText))

type Stage = {
  readonly config: Config
  readonly opened: Opened
  readonly fetch: ReturnType<typeof fetcherFor>
}

const runNight = async (
  { config, opened, fetch }: Stage,
  programme: Programme,
  sources: readonly Source[],
): Promise<void> => {
  const { endsAt } = nightAt(programme.policy.night, opened.clock.now())
  await opened.clock.sleepUntil(endsAt)
  await runOneNight(nobody, opened, config, { programme, sources, fetch })
}

const handFetch = async (
  { opened, fetch }: Stage,
  programme: Programme,
  address: string,
): Promise<HandReport> =>
  opened.clock.track(() =>
    fetchByHand(
      { ...opened, fetch },
      {
        run: newRun(opened),
        ...programme,
        url: url(address),
        sources: SHOP,
        also: [],
        software: { software: 'test', node: '0', readers: {}, process: opened.process },
        stop: nobody.stop,
      },
    ),
  )

const live = async (data: string): Promise<PageNights> => {
  const config = configOf({ data, clock: `simulated:${FIRST_DAY}` }, {})
  const opened = await compose(config)
  const web = await startRehearsalWeb({ clock: opened.clock, seed: 1, publishers: HOSTS })
  closing.push(web.close, opened.close)
  const fetch = fetcherFor({ resolve: web.resolveRules, authorities: [web.authorityPem] })
  const stage = { config, opened, fetch }
  const [shop, checker] = [await rehearsed('pta-karo'), await rehearsed('public-records-check')]
  for (let day = 1; day <= DAYS; day += 1) {
    web.startNight(day - 1)
    // 02:30 in Karachi is before 01:00 in New York.
    await runNight(stage, shop, SHOP)
    await runNight(stage, checker, RECORDS)
    for (const act of ACTS.get(day) ?? []) await recordAct(nobody, opened, config, act)
  }
  web.startNight(DAYS)
  const soon = await handFetch(stage, shop, 'https://plain.example/by-hand')
  await opened.clock.sleepUntil(nightAt(shop.policy.night, opened.clock.now()).endsAt)
  await opened.clock.sleepUntil(nightAt(shop.policy.night, opened.clock.now()).endsAt)
  const late = await handFetch(stage, shop, 'https://plain.example/by-hand-late')
  const off = await handFetch(stage, shop, 'https://not-listed.example/page')
  const recorded = await allRecorded(opened)
  const programmes = new Map([
    ['pta-karo', { policy: shop.policy, sources: SHOP }],
    ['public-records-check', { policy: checker.policy, sources: RECORDS }],
  ])
  const texts = await robotsTexts(opened, recorded)
  const textOf = (commit: string): string => texts.get(commit) ?? ''
  const audited = await promisesOf(recorded, opened)
  return { log: web.log(), recorded, programmes, textOf, audited, byHand: { soon, late, off } }
}

const robotsTexts = async (
  { bodies }: Opened,
  recorded: readonly Recorded[],
): Promise<ReadonlyMap<string, string>> => {
  const texts = new Map<string, string>()
  for (const { event } of recorded) {
    if (event.type !== 'RobotsRead' || event.commit === null || texts.has(event.commit)) continue
    texts.set(event.commit, right(await bodies.get(event.commit)()).toString())
  }
  return texts
}

const closing: (() => Promise<void>)[] = []
let lived: Promise<PageNights> | undefined

/** The nights, begun by the first who asks; gone when the tests of the file are over. */
export const pageNights = (): Promise<PageNights> => (lived ??= begin())

const begin = async (): Promise<PageNights> => {
  const data = await realpath(await mkdtemp(join(tmpdir(), 'page-nights-')))
  closing.push(() => rm(data, { recursive: true, force: true, maxRetries: 5 }))
  return live(data)
}

after(async () => {
  for (const close of closing.toReversed()) await close()
})
