import { crawlDelayOf } from './crawl-delay.ts'
import { type Issue, type IssueCode, ISSUES_LISTED_MAX } from './issue.ts'
import {
  agentList,
  type AgentList,
  groupList,
  type GroupList,
  type Place,
  ruleList,
  type RuleList,
  sitemapList,
  type SitemapList,
} from './lists.ts'
import { isUtf8Octets, octetFile } from './octet-file.ts'
import { readLine, type RobotsRecord } from './record.ts'
import type { CrawlDelay, RobotsFile, Verdict } from './robots-file.ts'
import { namedAgent } from './token.ts'

export type { RobotsFile } from './robots-file.ts'

/** The file so far. Filled line by line inside `readRobots`, and by nothing else. */
type Draft = {
  readonly agents: AgentList
  readonly rules: RuleList
  readonly groups: GroupList
  readonly delays: (CrawlDelay | null)[]
  readonly sitemaps: SitemapList
  readonly issues: Issue[]
  issueCount: number
  /** Something that is no User-agent line stood behind the last one. */
  parted: boolean
}

/**
 * Reads a robots.txt by RFC 9309. Total: any bytes are some file. Time and memory grow with the
 * octets read, of which there are at most 512,000.
 */
export const readRobots = (bytes: Uint8Array): RobotsFile => {
  const { octets, isUtf8, truncated, issues } = octetFile(bytes)
  const draft: Draft = {
    agents: agentList(octets),
    rules: ruleList(octets),
    groups: groupList(),
    delays: [],
    sitemaps: sitemapList(octets),
    issues: [],
    issueCount: 0,
    parted: false,
  }
  for (const code of issues) report(draft, 0, code)
  forEachLine(octets, (place) => takeLine(draft, place, octets, isUtf8))
  const [agents, rules] = [draft.agents.rows(), draft.rules.rows()]
  return {
    agents,
    rules,
    groups: draft.groups.rows({ agents: agents.length, rules: rules.length }),
    delays: draft.delays,
    sitemaps: draft.sitemaps.rows(),
    issues: draft.issues,
    issueCount: draft.issueCount,
    truncated,
  }
}

/** Lines end with CR, LF or CRLF (RFC 9309 §2.2) and nothing else. */
const forEachLine = (octets: string, take: (place: Place) => void): void => {
  const placeOf = (end: string, from: number): number => {
    const place = octets.indexOf(end, from)
    return place < 0 ? Number.POSITIVE_INFINITY : place
  }
  let lf = placeOf('\n', 0)
  let cr = placeOf('\r', 0)
  let line = 1
  for (let begin = 0; begin <= octets.length; line += 1) {
    const end = Math.min(lf, cr, octets.length)
    take({ line, begin, end })
    begin = end === cr && lf === cr + 1 ? lf + 1 : end + 1
    // Each kind of line end is sought anew only once its last one is passed.
    if (cr < begin) cr = placeOf('\r', begin)
    if (lf < begin) lf = placeOf('\n', begin)
  }
}

const report = (draft: Draft, line: number, code: IssueCode): void => {
  draft.issueCount += 1
  if (draft.issues.length < ISSUES_LISTED_MAX) draft.issues.push({ line, code })
}

const takeLine = (draft: Draft, place: Place, octets: string, allUtf8: boolean): void => {
  const { line, begin } = place
  const text = octets.slice(begin, place.end)
  const { records, issues } = readLine(text)
  for (const code of issues) report(draft, line, code)
  if (!allUtf8 && !isUtf8Octets(text)) report(draft, line, 'not-utf8')
  // A comment may well label the agent below it; a blank line looks like an end.
  if (records.length === 0 && !text.includes('#')) draft.parted = true
  for (const record of records) takeRecord(draft, line, begin, record)
}

/** Only a User-agent line or a rule shapes groups; all other records leave them alone (§2.2.4). */
const takeRecord = (draft: Draft, line: number, lineBegin: number, record: RobotsRecord): void => {
  const begin = lineBegin + record.begin
  const end = begin + record.text.length
  const { kind, value } = record
  switch (kind) {
    case 'agent':
      return takeAgent(draft, { line, begin: end - value.length, end }, value)
    case 'allow':
    case 'disallow':
      return takeRule(draft, kind, { line, begin, end }, value)
    case 'crawl-delay':
      takeCrawlDelay(draft, line, value)
      break
    case 'sitemap':
      draft.sitemaps.add({ line, begin: end - value.length, end })
      break
    case 'other':
      break
  }
  draft.parted = true
}

const takeAgent = (draft: Draft, { line, begin }: Place, value: string): void => {
  const { name, rest } = namedAgent(value)
  if (name === '' || /\d/.test(name)) report(draft, line, 'bad-token')
  else if (rest !== '' && !rest.startsWith('/')) report(draft, line, 'text-after-token')
  openGroup(draft, line)
  if (draft.delays.at(-1) !== null) draft.delays.push(null)
  draft.agents.add({ line, begin, end: begin + name.length }, draft.delays.length - 1)
  draft.parted = false
}

/** A User-agent line belongs to the open group; after a rule it begins a new one (§2.1). */
const openGroup = (draft: Draft, line: number): void => {
  if (!draft.groups.isClosed()) {
    if (draft.parted) report(draft, line, 'shared-group')
    return
  }
  draft.groups.open(draft.agents.length(), draft.rules.length())
  draft.delays.push(null)
}

const takeRule = (draft: Draft, verdict: Verdict, record: Place, value: string): void => {
  if (draft.groups.isEmpty()) return report(draft, record.line, 'rule-outside-group')
  draft.groups.close()
  // An empty pattern matches nothing; it is how a group says that it forbids nothing.
  if (value === '') return
  if (!value.startsWith('/') && !value.startsWith('*')) report(draft, record.line, 'bad-path')
  draft.rules.add(verdict, record, value)
}

/** Of several delays for one run of agent lines the longest holds: waiting more breaks no wish. */
const takeCrawlDelay = (draft: Draft, line: number, value: string): void => {
  if (draft.groups.isEmpty()) return report(draft, line, 'rule-outside-group')
  const milliseconds = crawlDelayOf(value)
  if (milliseconds === undefined) return report(draft, line, 'crawl-delay-invalid')
  const run = draft.delays.length - 1
  const known = draft.delays[run]
  if (known === null || known === undefined || known.milliseconds < milliseconds) {
    draft.delays[run] = { line, milliseconds }
  }
}
