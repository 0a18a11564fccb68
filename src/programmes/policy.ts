/**
 * A programme's policy: every parameter of its published promises as data. A fourth bot is a fourth
 * file of this shape. The exact bytes of the file go into the ledger as `ProgrammeAdopted`.
 */
import {
  integer,
  listOf,
  nullable,
  oneOf,
  parse,
  type ParseFailure,
  parseFailure,
  t,
  text,
} from '../kernel/codec.ts'
import { E, type Either } from '../kernel/fp.ts'
import { ProgrammeName, Purpose } from '../kernel/words.ts'

const Seconds = integer(0, 31_536_000)

/** What may stand in a header field: one line of printable ASCII. */
const HeaderValue = t.refinement(
  text(200),
  (s) => /^[\x20-\x7e]+$/.test(s),
  'one line of printable ASCII',
)

const isTimezone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** How one kind of file is fetched. */
const FetchRule = t.exact(
  t.type({
    /** The path asked at the site's own origin; null: the address comes from the source list. */
    path: nullable(text(200)),
    /** May be asked although robots.txt disallows it (PR4). */
    exemptFromRobots: t.boolean,
    /** Kept byte for byte, or discarded after its one question is answered (PR11, PR12). */
    keep: oneOf('as-served', 'discard'),
    maxBytes: integer(1, 268_435_456),
    accept: HeaderValue,
    /** `robots`: RFC 9309 §2.3.1.2 · `iab`: ads.txt 1.1 §3.1 · `root-of-site`: only to `/` of the site. */
    redirects: oneOf('robots', 'iab', 'root-of-site'),
    maxRedirects: integer(0, 10),
  }),
)
export type FetchRule = t.TypeOf<typeof FetchRule>

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
      }),
    ),
    /** Requests to one site: seconds from the end of one to the start of the next. */
    pauseSeconds: Seconds,
    /** Each file at most once a night, and never again within so many hours (PR5). */
    once: t.exact(t.type({ hoursAtLeast: integer(0, 24) })),
    crawlDelay: t.exact(t.type({ maxSeconds: Seconds })),
    /** Failures to reach the site, in a row, after which it is not asked until a person resumes it. */
    strikes: t.exact(
      t.type({ limit: integer(1, 20), counts: listOf(oneOf('network', 'server-error'), 2) }),
    ),
    /** A 429, a 503 with Retry-After or a recognised refusal ends the night for the site. */
    backOff: t.exact(t.type({ restOfNight: t.boolean, honourRetryAfter: t.boolean })),
    limits: t.exact(t.type({ totalMs: integer(1, 600_000), connectMs: integer(1, 600_000) })),
    sitesAtOnce: integer(1, 256),
    /** What is asked of each source and of each site, in this order. */
    order: t.exact(t.type({ source: listOf(Purpose, 4), site: listOf(Purpose, 4) })),
    fetch: t.exact(
      t.type({
        robots: FetchRule,
        'sellers-json': FetchRule,
        'ads-txt': FetchRule,
        homepage: FetchRule,
      }),
    ),
    contact: text(200),
    page: text(200),
  }),
)
export type Policy = t.TypeOf<typeof Policy>

/** Reads a policy file's text. Unknown keys are an error: a misspelt promise must not vanish. */
export const parsePolicy = (file: string, source: string): Either<ParseFailure, Policy> => {
  const json = parseJsonText(source)
  if (json === undefined) return E.left(parseFailure(file, 'JSON'))
  const policy = parse(file, Policy, json)
  if (E.isLeft(policy)) return policy
  const unknown = unknownKey(json, Policy.encode(policy.right), '')
  if (unknown !== undefined) return E.left(parseFailure(file, 'no such key', unknown))
  return policy.right.userAgent.toLowerCase().includes(policy.right.robotsToken.toLowerCase())
    ? policy
    : E.left(parseFailure(file, 'a part of userAgent (RFC 9309 §2.2.1)', 'robotsToken'))
}

const parseJsonText = (source: string): unknown => {
  try {
    return JSON.parse(source)
  } catch {
    return undefined
  }
}

/** The dotted path of the first key of `given` that `known` does not have. */
const unknownKey = (given: unknown, known: unknown, path: string): string | undefined => {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined
  if (typeof known !== 'object' || known === null) return undefined
  const parts = Object.entries(given)
  const knownParts = new Map<string, unknown>(Object.entries(known))
  for (const [key, value] of parts) {
    const here = path === '' ? key : `${path}.${key}`
    if (!knownParts.has(key)) return here
    const inner = unknownKey(value, knownParts.get(key), here)
    if (inner !== undefined) return inner
  }
  return undefined
}
