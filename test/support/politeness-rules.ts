/**
 * The rules of politeness once more, as plainly as they can be said, over a finished ledger: what no
 * programme may do to any site. They share no code with the decider; they know the policies, the texts
 * that robots.txt answered with, and what the events say was asked and answered.
 */
import type { Instant } from '../../src/kernel/instant.ts'
import type { Site } from '../../src/kernel/site.ts'
import { originOf, robotsUrlOf, siteOf } from '../../src/kernel/url.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import type { ClosingEvent, EventOf, LedgerEvent } from '../../src/ledger/event.ts'
import { nightAt } from '../../src/plan/night.ts'
import { fetchRule, type Policy } from '../../src/programmes/policy.ts'
import type { Source } from '../../src/programmes/sources.ts'

export type Ruled = { readonly policy: Policy; readonly sources: readonly Source[] }

type Sent = EventOf<'RequestSent'>
type OnSite = {
  open: number | null
  endedAt: number
  notBefore: number
  noUntil: number
  excluded: boolean
  paceSeconds: number
  leftAlone: Set<string>
}
type Last = {
  request: number
  sent: Sent
  sentAt: Instant
  run: string
  closing: ClosingEvent | null
  closedAt: number
  resets: number
}
type Read = { read: EventOf<'RobotsRead'>; run: string }
type SourceMark = { notRead: boolean; looks: string[] }

const REFUSALS = new Set([401, 402, 403, 407, 451])
const FAILURES = new Set(['connect-refused', 'reset', 'timeout'])

/** 0: no answer came. */
const statusOf = (closing: ClosingEvent): number =>
  closing.type === 'ResponseReceived' ? closing.status : 0
const headerOf = (closing: ClosingEvent, name: string): string | undefined =>
  closing.type === 'ResponseReceived'
    ? closing.headers.find(([key]) => key.toLowerCase() === name)?.[1]
    : undefined
const retryAfterMs = (closing: ClosingEvent): number | null => {
  const value = headerOf(closing, 'retry-after')
  return value === undefined ? null : Number(value) * 1_000
}

const mayTryAgain = ({ retries }: Policy, { sent, closing }: Last): boolean => {
  if (closing === null || sent.attempt > retries.limit) return false
  if ((retryAfterMs(closing) ?? 0) > retries.retryAfterMaxSeconds * 1_000) return false
  if (closing.type === 'RequestFailed')
    return retries.on.includes('network') && FAILURES.has(closing.reason)
  if (closing.type !== 'ResponseReceived') return false
  const { status } = closing
  if (status === 429) return retries.on.includes('429')
  if (status === 503 && retries.on.includes('503')) return true
  return status >= 500 && retries.on.includes('5xx')
}

/** Whether an exchange that is not tried again means: not before the next night. */
const isNo = (policy: Policy, last: Last): boolean => {
  const { closing, resets, sent } = last
  if (closing === null || mayTryAgain(policy, last)) return false
  const { tls, closed } = policy.refusal
  if (closing.type === 'RequestFailed')
    return closing.reason === 'tls' ? tls : closed && resets === sent.attempt
  const status = statusOf(closing)
  const asksLater = retryAfterMs(closing)
  return (
    policy.backOff.statuses.includes(status) ||
    (closing.purpose !== 'robots' && REFUSALS.has(status)) ||
    (status === 503 && asksLater !== null) ||
    (asksLater ?? 0) > policy.crawlDelay.maxSeconds * 1_000
  )
}

export class PolitenessRules {
  readonly breaches: string[] = []
  private readonly sites = new Map<Site, OnSite>()
  private readonly sentAt = new Map<string, number>()
  private readonly lasts = new Map<string, Last>()
  private readonly reads: Read[] = []
  private readonly marks = new Map<string, SourceMark>()
  private readonly counts = new Map<string, number>()
  private readonly follows = new Map<string, EventOf<'RedirectDecided'>>()
  private readonly strikes = new Map<string, number>()
  private readonly etags = new Map<string, string>()
  private readonly programmes: ReadonlyMap<string, Ruled>
  private readonly textOf: (commit: string) => string

  constructor(programmes: ReadonlyMap<string, Ruled>, textOf: (commit: string) => string) {
    this.programmes = programmes
    this.textOf = textOf
  }

  see({ event, ts, run, position }: Recorded): void {
    if (event.type === 'RequestSent') this.sent(event, ts, run, position)
    if (
      event.type === 'ResponseReceived' ||
      event.type === 'RequestFailed' ||
      event.type === 'RequestAbandoned'
    )
      this.closed(event, ts)
    if (event.type === 'RobotsRead') this.reads.push({ read: event, run })
    if (event.type === 'RedirectDecided') this.follows.set(`${event.request}`, event)
    this.act(event)
  }

  /** What a person did. */
  private act(event: LedgerEvent): void {
    if (event.type === 'SiteExcluded') this.site(event.site).excluded = true
    if (event.type === 'SiteReadmitted') this.site(event.site).excluded = false
    if (event.type === 'SitePaced') this.site(event.site).paceSeconds = event.seconds
    if (event.type === 'PathExcluded') this.site(event.site).leftAlone.add(event.path)
    if (event.type === 'SourceNotRead' || event.type === 'SourceReinstated') {
      const mark = { notRead: event.type === 'SourceNotRead', looks: [] }
      this.marks.set(`${event.programme} ${event.source}`, mark)
    }
    if (event.type === 'SiteResumed')
      for (const name of this.programmes.keys()) this.strikes.delete(`${name} ${event.site}`)
  }

  private site(site: Site): OnSite {
    const known = this.sites.get(site)
    if (known !== undefined) return known
    const made: OnSite = {
      open: null,
      endedAt: -Infinity,
      notBefore: 0,
      noUntil: 0,
      excluded: false,
      paceSeconds: 0,
      leftAlone: new Set(),
    }
    this.sites.set(site, made)
    return made
  }

  private ruled(programme: string): Ruled {
    const ruled = this.programmes.get(programme)
    if (ruled === undefined) throw new Error(`a programme nobody gave: ${programme}`)
    return ruled
  }

  private check(holds: boolean, rule: string, sent: Sent): void {
    if (!holds) this.breaches.push(`${rule}: ${sent.programme} ${sent.purpose} ${sent.url}`)
  }

  private sent(sent: Sent, ts: Instant, run: string, position: number): void {
    const { policy } = this.ruled(sent.programme)
    const site = this.site(siteOf(sent.url))
    const floor = Math.max(policy.pauseSeconds, site.paceSeconds) * 1_000
    this.check(site.open === null, 'PR6 two requests open to one site', sent)
    this.check(ts >= site.endedAt + floor, 'PR6 PK9 RC8 PK16 before the pause', sent)
    this.check(ts >= site.notBefore, 'PR8 PK10 RC13 before the wait was over', sent)
    this.check(ts >= site.noUntil, 'PR9 PK10 PK11 RC20 after a no', sent)
    this.check(!site.excluded, 'PR15 an excluded site', sent)
    const { pathname } = new URL(sent.url)
    const left = [...site.leftAlone].some((path) => pathname.startsWith(path))
    this.check(!left, 'RC25 a path left alone', sent)
    this.inScope(sent, ts)
    this.onceOrAgain(sent, ts, run, position)
    this.robots(sent, run)
    this.ofSource(sent)
    this.conditional(sent)
    const { limit } = policy.strikes
    const strikes = this.strikes.get(`${sent.programme} ${siteOf(sent.url)}`) ?? 0
    this.check(limit === null || strikes < limit, 'PR7 too many failures in a row', sent)
    site.open = position
  }

  private inScope(sent: Sent, ts: Instant): void {
    const { policy, sources } = this.ruled(sent.programme)
    const listed = new Set(sources.map(({ url }) => siteOf(url)))
    const elsewhere = sent.purpose === 'robots' && sent.hop > 0
    const bound = policy.scope === 'sources' && !elsewhere
    this.check(!bound || listed.has(siteOf(sent.url)), 'PK1 off the source list', sent)
    const night = nightAt(policy.night, ts)
    this.check(night.name === sent.night, 'a run past the end of its night', sent)
    const limit = night.startsAt + (policy.night.limitMinutes ?? Infinity) * 60_000
    this.check(ts < limit, 'RC11 past the limit of the night', sent)
    if (sent.via === null) return
    const led = this.follows.get(`${sent.via}`)
    this.check(led?.verdict === 'follow' && led.to === sent.url, 'a hop nobody decided on', sent)
    this.check(sent.hop <= fetchRule(policy, sent.purpose).maxRedirects, 'RC17 too many hops', sent)
    this.check(!led?.from.startsWith('https:') || sent.url.startsWith('https:'), 'PK13', sent)
  }

  private keyOf({ programme, url }: Sent, run: string): string {
    const { once } = this.ruled(programme).policy
    return once.per === 'run' ? `${programme} ${run} ${url}` : `${programme} ${url}`
  }

  private onceOrAgain(sent: Sent, ts: Instant, run: string, request: number): void {
    const { policy } = this.ruled(sent.programme)
    const key = this.keyOf(sent, run)
    const last = this.lasts.get(key)
    const same =
      last !== undefined &&
      (policy.once.per === 'run' ? last.run === run : last.sent.night === sent.night)
    const least = this.sentAt.get(`${sent.programme} ${sent.url}`) ?? -Infinity
    this.sentAt.set(`${sent.programme} ${sent.url}`, ts)
    if (last !== undefined && same) {
      this.check(mayTryAgain(policy, last), 'PR5 asked twice', sent)
      this.check(sent.attempt === last.sent.attempt + 1, 'PK10 attempts are counted', sent)
      this.check(sent.attempt <= policy.retries.limit + 1, 'PK10 RC13 too many tries', sent)
      const given = last.closing === null ? null : retryAfterMs(last.closing)
      const wait = given ?? (policy.retries.waitsSeconds[last.sent.attempt - 1] ?? 0) * 1_000
      this.check(ts >= last.closedAt + wait, 'PK10 RC13 tried again too soon', sent)
    } else {
      this.check(sent.attempt === 1, 'a first attempt is the first', sent)
      const soonest = least + policy.once.hoursAtLeast * 3_600_000
      this.check(ts >= soonest, 'PR5 too few hours after the last time', sent)
    }
    const resets = same ? (last?.resets ?? 0) : 0
    this.lasts.set(key, { request, sent, sentAt: ts, run, closing: null, closedAt: 0, resets })
  }

  /** What counts of the robots.txt files of the request's site. */
  private counting(sent: Sent, run: string): readonly Read[] {
    return this.reads.filter(
      ({ read, run: own }) =>
        read.programme === sent.programme &&
        siteOf(robotsUrlOf(read.origin)) === siteOf(sent.url) &&
        (read.night === sent.night || own === run),
    )
  }

  private robots(sent: Sent, run: string): void {
    if (sent.purpose === 'robots') return
    const { policy } = this.ruled(sent.programme)
    const own = this.reads.findLast(
      (one) =>
        one.read.programme === sent.programme &&
        one.read.origin === originOf(sent.url) &&
        (policy.robots.fresh === 'run' ? one.run === run : one.read.night === sent.night),
    )
    this.check(own !== undefined, 'PR2 PK6 RC14 without a robots.txt that counts', sent)
    this.check(own?.read.access !== 'unreachable', 'PR10 RC19 robots.txt not to be had', sent)
    const longest = Math.max(
      0,
      ...this.counting(sent, run).map(({ read }) => read.crawlDelayMs ?? 0),
    )
    this.check(longest <= policy.crawlDelay.maxSeconds * 1_000, 'PR8 PK9 a longer delay', sent)
    const commit = own?.read.access === 'rules' ? own.read.commit : null
    const text = commit === null ? '' : this.textOf(commit)
    const { pathname } = new URL(sent.url)
    const denied = [...text.matchAll(/^Disallow: (\S+)$/gm)].some(([, path = '']) =>
      pathname.startsWith(path),
    )
    this.check(!denied, 'PR3 PK8 RC16 a disallowed path', sent)
  }

  private ofSource(sent: Sent): void {
    if (sent.source === null || sent.purpose === 'robots') return
    const key = `${sent.programme} ${sent.source}`
    const mark = this.marks.get(key)
    this.check(sent.purpose !== 'page' || mark?.notRead !== true, 'RC23 a source not read', sent)
    this.check(
      sent.purpose !== 'probe' || mark?.notRead === true,
      'RC23 a look at what is read',
      sent,
    )
    if (sent.hop > 0 || sent.attempt > 1) return
    if (mark !== undefined && sent.purpose === 'probe') this.look(sent, mark)
    this.spend(sent, `${key} ${sent.night}`)
  }

  private spend(sent: Sent, counted: string): void {
    const { policy } = this.ruled(sent.programme)
    const files = (this.counts.get(counted) ?? 0) + 1
    this.counts.set(counted, files)
    this.check(files <= (policy.budget.filesPerSource ?? Infinity), 'RC9 over the budget', sent)
  }

  private look(sent: Sent, mark: SourceMark): void {
    const { nights = 0, thenEveryDays = Infinity } = this.ruled(sent.programme).policy.notRead ?? {}
    const before = mark.looks.at(-1)
    // A look may be at several pages.
    if (before === sent.night) return
    const days =
      before === undefined ? Infinity : (Date.parse(sent.night) - Date.parse(before)) / 86_400_000
    const due = mark.looks.length < nights ? days >= 1 : days >= thenEveryDays
    this.check(due, 'RC23 a look too many', sent)
    mark.looks.push(sent.night)
  }

  private conditional(sent: Sent): void {
    const { policy } = this.ruled(sent.programme)
    const etag = this.etags.get(`${sent.programme} ${sent.url}`)
    const known = fetchRule(policy, sent.purpose).conditional ? etag : undefined
    const given = sent.headers.find(([name]) => name === 'if-none-match')?.[1]
    this.check(given === known, 'PK12 RC10 conditional on the last visit', sent)
  }

  private closed(closing: ClosingEvent, ts: Instant): void {
    const { policy } = this.ruled(closing.programme)
    const site = this.site(siteOf(closing.url))
    if (site.open !== closing.request) this.breaches.push(`CL1 ${closing.url} closed, not open`)
    Object.assign(site, { open: null, endedAt: ts })
    const last = [...this.lasts.values()].find((one) => one.request === closing.request)
    if (last === undefined) return
    Object.assign(last, { closing, closedAt: ts })
    last.resets += closing.type === 'RequestFailed' && closing.reason === 'reset' ? 1 : 0
    this.remember(closing)
    if (closing.type === 'RequestAbandoned') return
    const asked = retryAfterMs(closing) ?? 0
    const pause = policy.pauseSeconds * 1_000
    site.notBefore = Math.max(site.notBefore, ts + Math.max(pause, asked))
    if (isNo(policy, last)) {
      const { endsAt } = nightAt(policy.night, last.sentAt)
      site.noUntil = Math.max(site.noUntil, endsAt, ts + asked)
    }
  }

  private remember(closing: ClosingEvent): void {
    if (closing.type === 'RequestAbandoned') return
    const strikes = `${closing.programme} ${siteOf(closing.url)}`
    const { counts } = this.ruled(closing.programme).policy.strikes
    const failed = closing.type === 'RequestFailed' ? 'network' : 'server-error'
    const counted = counts.includes(failed) && (failed === 'network' || statusOf(closing) >= 500)
    this.strikes.set(strikes, counted ? (this.strikes.get(strikes) ?? 0) + 1 : 0)
    if (closing.purpose !== 'page' || statusOf(closing) !== 200) return
    const etag = headerOf(closing, 'etag')
    const key = `${closing.programme} ${closing.url}`
    if (etag === undefined) this.etags.delete(key)
    else this.etags.set(key, etag)
  }
}
