import { unreachable } from '../kernel/assert.ts'
import { type HttpUrl, originOf, robotsUrlOf } from '../kernel/url.ts'
import type { RobotsDecided } from '../ledger/events/robots-decided.ts'
import { judgeRobots, type Judgement, RULE_TEXT_MAX } from './decide.ts'
import { matcherOf } from './match.ts'
import { textOfOctets } from './octets.ts'
import { agentLines, listed, NAMED_MAX, octets, quoted, seconds } from './phrase.ts'
import type { RobotsFile, Rule } from './robots-file.ts'
import { eachOf } from './rows.ts'
import type { Selection } from './selection.ts'
import { sitemapsOf } from './sitemaps.ts'
import { surprises } from './surprise.ts'

type Decision = Pick<RobotsDecided, 'verdict' | 'basis' | 'token' | 'rule'>

/** The one sentence that says why, from what the ledger keeps of a decision. */
export const reasonOf = ({ verdict, basis, token, rule }: Decision): string => {
  const answer = verdict === 'allow' ? 'Allowed' : 'Disallowed'
  switch (basis) {
    case 'robots-file':
      return `${answer}: /robots.txt itself may always be asked for (RFC 9309 §2.2.2).`
    case 'exempt':
      return `${answer}: this file exists to be read by automated clients, so Disallow does not keep it from ${token}.`
    case 'rule':
      return `${answer} for ${token}: ${citation(rule)} is the most specific rule that matches (RFC 9309 §2.2.2).`
    case 'no-rule':
      return `${answer} for ${token}: no rule of its group matches (RFC 9309 §2.2.2).`
    case 'no-group':
      return `${answer}: the file has no group for ${token} and none for * (RFC 9309 §2.2.1).`
    case 'unavailable':
      return `${answer}: the site has no robots.txt to be had, so nothing is forbidden (RFC 9309 §2.3.1.3).`
    case 'unreachable':
      return `${answer}: robots.txt could not be reached, so everything is forbidden (RFC 9309 §2.3.1.4).`
    case 'unread':
      return `${answer}: there is no reading of robots.txt to rest on.`
    default:
      return unreachable(basis)
  }
}

const citation = (rule: Decision['rule']): string =>
  rule === null ? 'a rule' : `line ${rule.line}, “${rule.text}”,`

/** Sentences for people, each bounded in length and number whatever the file holds. */
export type Explanation = {
  /** The reason first, then the group, the rules that lost, the Crawl-delay, the sitemaps. */
  readonly why: readonly string[]
  /** What the owner of the file may not have meant. */
  readonly warnings: readonly string[]
}

/** Why a file decides about an address as it does. */
export const explainRobots = (file: RobotsFile, token: string, url: HttpUrl): Explanation => {
  const judgement = judgeRobots(file, token, url)
  return {
    why: [
      reasonOf(decisionOf(judgement, token)),
      ...groupSentences(judgement.selection, token),
      ...ruleSentences(file, judgement),
      ...delaySentences(judgement.selection, token),
      ...sitemapSentences(file, url),
    ],
    warnings: surprises(file, token, url, judgement),
  }
}

const decisionOf = ({ allowed, basis, rule }: Judgement, token: string): Decision => ({
  verdict: allowed ? 'allow' : 'deny',
  basis,
  token,
  rule: rule === null ? null : { ...rule, text: textOfOctets(rule.text, RULE_TEXT_MAX) },
})

const groupSentences = ({ kind, agents }: Selection, token: string): readonly string[] => {
  switch (kind) {
    case 'own':
      return [
        `Its group is the one that names it, on ${agentLines(agents)}; rules for * do not count (§2.2.1).`,
      ]
    case 'everybody':
      return [
        `No group names ${token}, so the group for *, named on ${agentLines(agents)}, counts (§2.2.1).`,
      ]
    case 'none':
      return []
  }
}

const ruleSentences = (file: RobotsFile, judgement: Judgement): readonly string[] => {
  const { rule, path } = judgement
  if (rule === null) return []
  const { first, count } = matchingOthers(file, judgement)
  const compared = `Rules were compared with ${path.slice(0, 200)}`
  if (count === 0) return [`${compared}; no other rule matches.`]
  const others = first.map((other) => `${quoted(other)} (${lostBy(other, rule)})`)
  return [
    `${compared}; with ${octets(rule.pattern.octets)} it goes before ${listed(others, count)}.`,
  ]
}

const lostBy = (other: Rule, winner: Rule): string => {
  if (other.pattern.octets < winner.pattern.octets) return octets(other.pattern.octets)
  return other.verdict === winner.verdict
    ? 'as long, and says the same'
    : 'as long, and between equals Allow wins'
}

/** The other rules that match, in file order: the first few, and how many there are. */
const matchingOthers = (
  { rules }: RobotsFile,
  { selection, path, rule }: Judgement,
): { readonly first: readonly Rule[]; readonly count: number } => {
  const matches = matcherOf(path)
  const first: Rule[] = []
  let count = 0
  for (const { rules: range } of eachOf(selection.groups)) {
    for (const other of eachOf(rules, range.from, range.to)) {
      if (isSameRule(other, rule) || !matches(other.pattern)) continue
      count += 1
      if (first.length < NAMED_MAX) first.push(other)
    }
  }
  return { first, count }
}

/** One line can hold several rules, but not two of the same text. */
const isSameRule = (a: Rule, b: Rule | null): boolean =>
  b !== null && a.line === b.line && a.text === b.text

const delaySentences = ({ kind, crawlDelay }: Selection, token: string): readonly string[] => {
  if (crawlDelay !== null) {
    const { line, milliseconds } = crawlDelay
    return [`Line ${line} asks ${token} for ${seconds(milliseconds)} between requests.`]
  }
  return kind === 'none' ? [] : [`The group asks ${token} for no Crawl-delay.`]
}

const sitemapSentences = (file: RobotsFile, url: HttpUrl): readonly string[] => {
  const sitemaps = sitemapsOf(file, robotsUrlOf(originOf(url)))
  if (sitemaps.length === 0) return []
  const shown = sitemaps.slice(0, NAMED_MAX).map((address) => address.slice(0, 200))
  return [`The file lists ${sitemaps.length} sitemap(s): ${listed(shown, sitemaps.length)}.`]
}
