/**
 * A programme's policy: every parameter of its published promises as data. A fourth bot is a fourth
 * file of this shape. The exact bytes of the file go into the ledger as `ProgrammeAdopted`.
 */
import { present } from '../kernel/assert.ts'
import { integer, listOf, nullable, oneOf, t, text } from '../kernel/codec.ts'
import { ProgrammeName, Purpose } from '../kernel/words.ts'
import { FetchRule, HeaderValue } from './fetch-rule.ts'

const Seconds = integer(0, 31_536_000)

const isTimezone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** What may be tried again. `network`: no answer came, for a reason that another try may not meet. */
export const RetryCause = oneOf('429', '503', '5xx', 'network')

export const Policy = t.exact(
  t.type({
    name: ProgrammeName,
    title: text(100),
    /** The whole User-Agent header, and the robots product token, which is a part of it. */
    userAgent: HeaderValue,
    robotsToken: t.refinement(text(60), (s) => /^[A-Za-z_-]+$/.test(s), 'robots product token'),
    night: t.exact(
      t.type({
        timezone: t.refinement(text(60), isTimezone, 'time zone of the IANA database'),
        start: t.refinement(text(5), (s) => /^([01]\d|2[0-3]):[0-5]\d$/.test(s), 'HH:MM'),
        /** Nothing is asked later than so many minutes after the start (RC11); null: all night. */
        limitMinutes: nullable(integer(1, 1_440)),
      }),
    ),
    /** One run for the whole list, or a run (a crawl job) for each source (PK6). */
    job: oneOf('night', 'source'),
    /** `sources`: a fetch begins only on a site of the source list or one allowed for the run (PK1). */
    scope: oneOf('any', 'sources'),
    /** Requests to one site: seconds from the end of one to the start of the next. */
    pauseSeconds: Seconds,
    /** Each file at most once a night or once a run, and never again within so many hours (PR5). */
    once: t.exact(t.type({ per: oneOf('night', 'run'), hoursAtLeast: integer(0, 24) })),
    /**
     * How long a robots.txt counts: for the night (RC14) or for the run that read it (PK6). A page asked
     * for by hand may rest on a copy of at most `byHandHours` (PK7); null: by the same rule as a night.
     */
    robots: t.exact(
      t.type({ fresh: oneOf('night', 'run'), byHandHours: nullable(integer(1, 24)) }),
    ),
    crawlDelay: t.exact(t.type({ maxSeconds: Seconds })),
    /**
     * Further tries of one address, and the waits before them where Retry-After names none. A
     * Retry-After above the maximum ends the trying (PK10, RC13).
     */
    retries: t.exact(
      t.type({
        limit: integer(0, 5),
        on: listOf(RetryCause, 4),
        retryAfterMaxSeconds: Seconds,
        waitsSeconds: listOf(Seconds, 5),
      }),
    ),
    /**
     * Failures to reach the site, in a row, after which it is not asked until a person resumes it
     * (PR7); null: it is asked again every night.
     */
    strikes: t.exact(
      t.type({
        limit: nullable(integer(1, 20)),
        counts: listOf(oneOf('network', 'server-error'), 2),
      }),
    ),
    /**
     * What ends the night for the site: these statuses once their retries are used up, a 503 with
     * Retry-After, a recognised refusal.
     */
    backOff: t.exact(
      t.type({
        restOfNight: t.boolean,
        honourRetryAfter: t.boolean,
        statuses: listOf(integer(400, 599), 10),
      }),
    ),
    /** Failures that count as a "no" too: of TLS, and of every connection closed unanswered (RC20). */
    refusal: t.exact(t.type({ tls: t.boolean, closed: t.boolean })),
    /** Files other than robots.txt that a source may cost in a night; retries not counted (RC9). */
    budget: t.exact(t.type({ filesPerSource: nullable(integer(1, 1_000)) })),
    /** Looks at a source that is not read: on so many nights, then every so many days (RC23). */
    notRead: nullable(t.exact(t.type({ nights: integer(0, 30), thenEveryDays: integer(1, 365) }))),
    limits: t.exact(t.type({ totalMs: integer(1, 600_000), connectMs: integer(1, 600_000) })),
    sitesAtOnce: integer(1, 256),
    /** What is asked of each source and of each site, in this order. */
    order: t.exact(t.type({ source: listOf(Purpose, 4), site: listOf(Purpose, 4) })),
    fetch: t.exact(
      t.intersection([
        t.type({ robots: FetchRule }),
        t.partial({
          'sellers-json': FetchRule,
          'ads-txt': FetchRule,
          homepage: FetchRule,
          page: FetchRule,
          probe: FetchRule,
        }),
      ]),
    ),
    contact: text(200),
    page: text(200),
  }),
)
export type Policy = t.TypeOf<typeof Policy>

/** Where pages lie that are discarded once read; none for the fetch of such a page itself. */
export const discardedPaths = (
  policy: Pick<Policy, 'fetch' | 'name'>,
  purpose: Purpose,
): ReadonlySet<string> => {
  if (fetchRule(policy, purpose).keep === 'discard') return new Set()
  const discarded = Object.values(policy.fetch).filter(({ keep }) => keep === 'discard')
  return new Set(discarded.flatMap(({ path }) => (path === null ? [] : [path])))
}

/** The rule for a purpose the policy has one for; which ones those are is checked when it is read. */
export const fetchRule = (policy: Pick<Policy, 'fetch' | 'name'>, purpose: Purpose): FetchRule =>
  present(policy.fetch[purpose], `${policy.name} has a rule for ${purpose}`)
