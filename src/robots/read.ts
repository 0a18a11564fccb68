import { crawlDelayOf } from './crawl-delay.ts'
import { type Issue, type IssueCode, ISSUES_LISTED_MAX } from './issue.ts'
import { isUtf8Octets, octetFile } from './octet-file.ts'
import { canonicalPattern } from './octets.ts'
import { readLine, type RobotsRecord } from './record.ts'
import type { AgentLine, CrawlDelay, Group, RobotsFile, Rule, SitemapLine } from './robots-file.ts'
import { namedAgent } from './token.ts'

export type { RobotsFile } from './robots-file.ts'

type OpenGroup = Group & {
  readonly agents: AgentLine[]
  readonly rules: Rule[]
  readonly delays: (CrawlDelay | null)[]
  /** A rule was read, an empty one too: the next User-agent line begins another group. */
  closed: boolean
}

/** The file so far. Filled line by line inside `readRobots`, and by nothing else. */
type Draft = {
  readonly groups: OpenGroup[]
  readonly sitemaps: SitemapLine[]
  readonly issues: Issue[]
  issueCount: number
  /** Something that is no User-agent line stood behind the last one. */
  parted: boolean
}

/**
 * Reads a robots.txt by RFC 9309. Total: any bytes are some file. Time and memory grow with the
 * octets read, of which there are at most 512,000; each rule is stored once, however many agents
 * share it.
 */
export const readRobots = (bytes: Uint8Array): RobotsFile => {
  const { octets, truncated, issues } = octetFile(bytes)
  const draft: Draft = { groups: [], sitemaps: [], issues: [], issueCount: 0, parted: false }
  for (const code of issues) report(draft, 0, code)
  let line = 0
  for (const text of linesOf(octets)) takeLine(draft, (line += 1), text)
  const { groups, sitemaps, issueCount } = draft
  return { groups, sitemaps, issues: draft.issues, issueCount, truncated }
}

/** Lines end with CR, LF or CRLF (RFC 9309 §2.2) and nothing else. */
function* linesOf(octets: string): Generator<string> {
  const lineEnd = /\r\n|\r|\n/g
  let begin = 0
  for (let end = lineEnd.exec(octets); end !== null; end = lineEnd.exec(octets)) {
    yield octets.slice(begin, end.index)
    begin = lineEnd.lastIndex
  }
  yield octets.slice(begin)
}

const report = (draft: Draft, line: number, code: IssueCode): void => {
  draft.issueCount += 1
  if (draft.issues.length < ISSUES_LISTED_MAX) draft.issues.push({ line, code })
}

const takeLine = (draft: Draft, line: number, text: string): void => {
  const { records, issues } = readLine(text)
  for (const code of issues) report(draft, line, code)
  if (!isUtf8Octets(text)) report(draft, line, 'not-utf8')
  // A comment may well label the agent below it; a blank line looks like an end.
  if (records.length === 0 && !text.includes('#')) draft.parted = true
  for (const record of records) takeRecord(draft, line, record)
}

/** Only a User-agent line or a rule shapes groups; all other records leave them alone (§2.2.4). */
const takeRecord = (draft: Draft, line: number, record: RobotsRecord): void => {
  switch (record.kind) {
    case 'agent':
      return takeAgent(draft, line, record.value)
    case 'allow':
    case 'disallow':
      return takeRule(draft, line, record.kind, record)
    case 'crawl-delay':
      takeCrawlDelay(draft, line, record.value)
      break
    case 'sitemap':
      draft.sitemaps.push({ line, value: record.value })
      break
    case 'other':
      break
  }
  draft.parted = true
}

const takeAgent = (draft: Draft, line: number, value: string): void => {
  const { name, rest } = namedAgent(value)
  if (name === '' || /\d/.test(name)) report(draft, line, 'bad-token')
  else if (rest !== '' && !rest.startsWith('/')) report(draft, line, 'text-after-token')
  const group = groupFor(draft, line)
  if (group.delays.at(-1) !== null) group.delays.push(null)
  group.agents.push({ line, name, run: group.delays.length - 1 })
  draft.parted = false
}

/** The group a User-agent line belongs to: the open one, or a new one after a rule (§2.1). */
const groupFor = (draft: Draft, line: number): OpenGroup => {
  const open = draft.groups.at(-1)
  if (open !== undefined && !open.closed) {
    if (draft.parted) report(draft, line, 'shared-group')
    return open
  }
  const group: OpenGroup = { agents: [], rules: [], delays: [], closed: false }
  draft.groups.push(group)
  return group
}

const takeRule = (
  draft: Draft,
  line: number,
  verdict: Rule['verdict'],
  { value, text }: RobotsRecord,
): void => {
  const group = draft.groups.at(-1)
  if (group === undefined) return report(draft, line, 'rule-outside-group')
  group.closed = true
  // An empty pattern matches nothing; it is how a group says that it forbids nothing.
  if (value === '') return
  if (!value.startsWith('/') && !value.startsWith('*')) report(draft, line, 'bad-path')
  group.rules.push({ line, verdict, text, pattern: canonicalPattern(value) })
}

/** Of several delays for one run of agent lines the longest holds: waiting more breaks no wish. */
const takeCrawlDelay = (draft: Draft, line: number, value: string): void => {
  const group = draft.groups.at(-1)
  if (group === undefined) return report(draft, line, 'rule-outside-group')
  const milliseconds = crawlDelayOf(value)
  if (milliseconds === undefined) return report(draft, line, 'crawl-delay-invalid')
  const run = group.delays.length - 1
  const known = group.delays[run]
  if (known === null || known === undefined || known.milliseconds < milliseconds) {
    group.delays[run] = { line, milliseconds }
  }
}
