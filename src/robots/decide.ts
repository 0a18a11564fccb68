import type { HttpUrl } from '../kernel/url.ts'
import type { RobotsBasis } from '../ledger/events/robots-decided.ts'
import { matcherOf } from './match.ts'
import { canonicalPath, textOfOctets } from './octets.ts'
import type { AgentLine, Group, RobotsFile, Rule, Rules } from './robots-file.ts'
import { eachOf, type Rows } from './rows.ts'
import { selectGroups, type Selection } from './selection.ts'

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

/** A verdict together with the rows of the file it was found by. */
export type Judgement = {
  readonly allowed: boolean
  readonly basis: RobotsVerdict['basis']
  readonly selection: Selection
  readonly path: string
  readonly rule: Rule | null
  readonly outweighed: Rule | null
}

/**
 * May the agent with product token `token` ask for `url`, by a file that is valid for its origin?
 *
 * The rule with the most octets decides; between equals Allow does; with none, access is allowed
 * (RFC 9309 §2.2.2). An `HttpUrl` has at most 8 KiB, which bounds the work together with the file.
 */
export const judgeRobots = (file: RobotsFile, token: string, url: HttpUrl): Judgement => {
  const selection = selectGroups(file, token)
  const path = canonicalPath(pathWithQuery(url))
  const about = { selection, path, rule: null, outweighed: null }
  if (path === '/robots.txt') return { ...about, allowed: true, basis: 'robots-file' }
  if (selection.kind === 'none') return { ...about, allowed: true, basis: 'no-group' }
  const { allow, disallow } = mostSpecific(file.rules, selection.groups, path)
  if (allow === null && disallow === null) return { ...about, allowed: true, basis: 'no-rule' }
  const allowed = octetsOf(allow) >= octetsOf(disallow)
  const [rule, outweighed] = allowed ? [allow, disallow] : [disallow, allow]
  return { ...about, allowed, basis: 'rule', rule, outweighed }
}

/** The same, as evidence: bounded, and safe to keep and to print. */
export const decideRobots = (file: RobotsFile, token: string, url: HttpUrl): RobotsVerdict =>
  verdictOf(judgeRobots(file, token, url))

export const verdictOf = (judgement: Judgement): RobotsVerdict => {
  const { allowed, basis, selection, rule, outweighed, path } = judgement
  return {
    allowed,
    basis,
    group: namesOf(selection.agents),
    rule: cited(rule),
    outweighed: cited(outweighed),
    path,
    crawlDelayMs: selection.crawlDelay?.milliseconds ?? null,
  }
}

/** The Crawl-delay for `token` in milliseconds; null where the file gives it none. */
export const crawlDelayMs = (file: RobotsFile, token: string): number | null =>
  selectGroups(file, token).crawlDelay?.milliseconds ?? null

/** Path and query as they go out; a bare `?` at the end is part of them. */
const pathWithQuery = (url: HttpUrl): string => url.slice(url.indexOf('/', 'https://'.length))

const namesOf = (agents: Rows<AgentLine>): readonly string[] => {
  const names = new Set<string>()
  for (const { name } of eachOf(agents)) {
    names.add(name.slice(0, GROUP_NAME_LENGTH_MAX))
    if (names.size === GROUP_NAMES_MAX) break
  }
  return [...names]
}

type Strongest = { allow: Rule | null; disallow: Rule | null }

/** The longest matching rule of each verdict, the first of those equally long. */
const mostSpecific = (rules: Rules, groups: Rows<Group>, path: string): Readonly<Strongest> => {
  const matches = matcherOf(path)
  const strongest: Strongest = { allow: null, disallow: null }
  for (const { rules: range } of eachOf(groups)) {
    for (let place = range.from; place < range.to; place += 1) {
      const verdict = rules.verdictAt(place)
      if (rules.octetsAt(place) <= octetsOf(strongest[verdict])) continue
      const rule = rules.at(place)
      if (matches(rule.pattern)) strongest[verdict] = rule
    }
  }
  return strongest
}

const octetsOf = (rule: Rule | null): number => rule?.pattern.octets ?? 0

const cited = (rule: Rule | null): CitedRule | null =>
  rule === null
    ? null
    : { line: rule.line, text: textOfOctets(rule.text, RULE_TEXT_MAX), verdict: rule.verdict }
