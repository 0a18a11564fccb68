import type { HttpUrl } from '../kernel/url.ts'
import type { RobotsBasis } from '../ledger/events/robots-decided.ts'
import { matcherOf } from './match.ts'
import { canonicalPath, textOfOctets } from './octets.ts'
import type { RobotsFile, Rule } from './robots-file.ts'
import { selectGroups } from './selection.ts'

/** A rule as evidence: its line and its text as it stands there, made safe to print. */
export type CitedRule = {
  readonly line: number
  readonly text: string
  readonly verdict: 'allow' | 'disallow'
}

export type RobotsVerdict = {
  readonly allowed: boolean
  readonly basis: Extract<RobotsBasis, 'robots-file' | 'rule' | 'no-rule' | 'no-group'>
  /** The names on the User-agent lines that selected the rules, as written, each once. */
  readonly group: readonly string[]
  /** The most specific matching rule, null where none matched or none was needed. */
  readonly rule: CitedRule | null
  /** The most specific matching rule of the other verdict, which `rule` outweighs. */
  readonly outweighed: CitedRule | null
  /** What the rules were matched against: path and query in canonical octets. */
  readonly path: string
  readonly crawlDelayMs: number | null
}

export const RULE_TEXT_MAX = 2_048
const GROUP_NAMES_MAX = 20
const GROUP_NAME_LENGTH_MAX = 200

/**
 * May the agent with product token `token` ask for `url`, by a file that is valid for its origin?
 *
 * The rule with the most octets decides; between equals Allow does; with none, access is allowed
 * (RFC 9309 §2.2.2). An `HttpUrl` has at most 8 KiB, which bounds the work together with the file.
 */
export const decideRobots = (file: RobotsFile, token: string, url: HttpUrl): RobotsVerdict => {
  const { kind, agents, groups, crawlDelay } = selectGroups(file, token)
  const path = canonicalPath(pathWithQuery(url))
  const about = {
    group: namesOf(agents),
    path,
    crawlDelayMs: crawlDelay?.milliseconds ?? null,
    rule: null,
    outweighed: null,
  }
  if (path === '/robots.txt') return { ...about, allowed: true, basis: 'robots-file' }
  if (kind === 'none') return { ...about, allowed: true, basis: 'no-group' }
  const { allow, disallow } = mostSpecific(
    groups.flatMap(({ rules }) => rules),
    path,
  )
  if (allow === null && disallow === null) return { ...about, allowed: true, basis: 'no-rule' }
  const allowed = octetsOf(allow) >= octetsOf(disallow)
  return {
    ...about,
    allowed,
    basis: 'rule',
    rule: cited(allowed ? allow : disallow),
    outweighed: cited(allowed ? disallow : allow),
  }
}

/** The Crawl-delay for `token` in milliseconds; null where the file gives it none. */
export const crawlDelayMs = (file: RobotsFile, token: string): number | null =>
  selectGroups(file, token).crawlDelay?.milliseconds ?? null

/** Path and query as they go out; a bare `?` at the end is part of them. */
const pathWithQuery = (url: HttpUrl): string => url.slice(url.indexOf('/', 'https://'.length))

const namesOf = (agents: readonly { readonly name: string }[]): readonly string[] =>
  [...new Set(agents.map(({ name }) => name.slice(0, GROUP_NAME_LENGTH_MAX)))].slice(
    0,
    GROUP_NAMES_MAX,
  )

type Strongest = { allow: Rule | null; disallow: Rule | null }

/** The longest matching rule of each verdict, the first of those equally long. */
const mostSpecific = (rules: readonly Rule[], path: string): Readonly<Strongest> => {
  const matches = matcherOf(path)
  const strongest: Strongest = { allow: null, disallow: null }
  for (const rule of rules) {
    if (rule.pattern.octets <= octetsOf(strongest[rule.verdict])) continue
    if (matches(rule.pattern)) strongest[rule.verdict] = rule
  }
  return strongest
}

const octetsOf = (rule: Rule | null): number => rule?.pattern.octets ?? 0

const cited = (rule: Rule | null): CitedRule | null =>
  rule === null
    ? null
    : { line: rule.line, text: textOfOctets(rule.text, RULE_TEXT_MAX), verdict: rule.verdict }
