import { unreachable } from '../kernel/assert.ts'
import type { HttpUrl } from '../kernel/url.ts'
import type { RobotsDecided } from '../ledger/events/robots-decided.ts'
import { decideRobots, type RobotsVerdict } from './decide.ts'
import type { IssueCode } from './issue.ts'
import type { RobotsFile } from './robots-file.ts'
import { type Selection, selectGroups } from './selection.ts'
import { sameToken } from './token.ts'

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

/** At most so many agents or lines are named in one sentence. */
const NAMED_MAX = 10

/**
 * Why a file decides about an address as it does, in words: the reason, the group, the rule that
 * lost, the Crawl-delay, and whatever its owner may not have meant. One sentence each.
 */
export const explainRobots = (file: RobotsFile, token: string, url: HttpUrl): readonly string[] => {
  const verdict = decideRobots(file, token, url)
  const selection = selectGroups(file, token)
  const decision = { ...verdict, token, verdict: verdict.allowed ? 'allow' : 'deny' } as const
  return [
    reasonOf(decision),
    ...groupSentences(selection, token),
    ...ruleSentences(verdict),
    ...delaySentences(selection),
    ...sharingSentences(selection, token),
    ...issueSentences(file, selection),
  ]
}

const groupSentences = ({ kind, agents }: Selection, token: string): readonly string[] => {
  const lines = linesOf(agents.map(({ line }) => line))
  switch (kind) {
    case 'own':
      return [`The group is its own, named on ${lines}; rules for * do not count (§2.2.1).`]
    case 'everybody':
      return [`No group names ${token}, so the group for *, named on ${lines}, counts (§2.2.1).`]
    case 'none':
      return []
  }
}

const ruleSentences = ({ basis, path, outweighed }: RobotsVerdict): readonly string[] => {
  if (basis !== 'rule') return []
  const compared = `Rules were compared with ${path.slice(0, 200)}`
  if (outweighed === null) return [`${compared}.`]
  return [
    `${compared}; ${citation(outweighed)} matches too, but is not longer (at equal length Allow wins).`,
  ]
}

const delaySentences = ({ crawlDelay }: Selection): readonly string[] =>
  crawlDelay === null
    ? []
    : [
        `Line ${crawlDelay.line} asks for ${crawlDelay.milliseconds / 1_000} seconds between requests.`,
      ]

/** Owners are often surprised that a record between two User-agent lines does not part them. */
const sharingSentences = ({ agents, groups }: Selection, token: string): readonly string[] => {
  const chosen = agents[0]?.name ?? token
  const others = groups.flatMap((group) =>
    group.agents.filter(({ name }) => name !== '' && !sameToken(name, chosen)),
  )
  if (others.length === 0) return []
  const names = [...new Set(others.map(({ name }) => name))]
  return [
    `The same rules bind ${listed(names)}, named on ${linesOf(others.map(({ line }) => line))}: only a rule ends a run of User-agent lines, not a blank line, Crawl-delay or Sitemap (§2.1, §2.2.4).`,
  ]
}

/** Issues of the whole file, and those on the lines of the groups that were chosen. */
const issueSentences = (file: RobotsFile, { groups }: Selection): readonly string[] => {
  const lines = new Set(
    groups.flatMap(({ agents, rules }) => [...agents, ...rules].map(({ line }) => line)),
  )
  const told = file.issues.filter(({ line }) => line === 0 || lines.has(line))
  const untold = file.issueCount - Math.min(told.length, NAMED_MAX)
  return [
    ...told
      .slice(0, NAMED_MAX)
      .map(({ line, code }) =>
        line === 0 ? `Note: ${MEANINGS[code]}.` : `Note on line ${line}: ${MEANINGS[code]}.`,
      ),
    ...(untold > 0 ? [`The file has ${untold} more line(s) worth a look.`] : []),
  ]
}

const linesOf = (lines: readonly number[]): string =>
  `line${lines.length === 1 ? '' : 's'} ${listed(lines.map(String))}`

const listed = (words: readonly string[]): string =>
  words.length <= NAMED_MAX
    ? words.join(', ')
    : `${words.slice(0, NAMED_MAX).join(', ')} and ${words.length - NAMED_MAX} more`

/** What each issue code means, as a sentence part for people. */
const MEANINGS: Readonly<Record<IssueCode, string>> = {
  truncated: 'the file is longer than 512,000 bytes; the rest was not read',
  'utf-16': 'the file is UTF-16, not UTF-8; it was read all the same',
  html: 'the file starts like a web page; its tags were left out',
  'not-utf8': 'these bytes are not UTF-8; they were compared as they stand',
  'too-long': 'the line is too long; a Disallow is cut, an Allow left out',
  nul: 'a NUL byte; a Disallow is cut there, an Allow left out',
  'no-record': 'this is no record and was skipped',
  'missing-colon': 'the colon is missing; read as if it were there, but for an Allow',
  typo: 'the key is misspelt; read as what it means',
  'unknown-key': 'nobody has defined this key; it was skipped',
  'one-line': 'several records on one line; read as the lines they mean',
  'bad-token':
    'this is not a product token, so the line names no crawler that goes by the standard',
  'text-after-token': 'what follows the product token was not read',
  'rule-outside-group': 'this stands before the first User-agent line and was skipped',
  'shared-group': 'this crawler shares the rules of those above it, as no rule stands between them',
  'bad-path': 'a pattern must start with / or *; this one can match nothing',
  'crawl-delay-invalid': 'this is not a number of seconds',
}
