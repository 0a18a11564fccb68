/** What a robots.txt does that its owner has probably not meant. */
import type { HttpUrl } from '../kernel/url.ts'
import { judgeRobots, type Judgement } from './decide.ts'
import type { Issue } from './issue.ts'
import { ISSUE_MEANINGS } from './issue-meaning.ts'
import { agentLines, listed, NAMED_MAX, quoted, seconds } from './phrase.ts'
import type { CrawlDelay, Group, RobotsFile } from './robots-file.ts'
import { eachOf, rowsOf } from './rows.ts'
import type { Selection } from './selection.ts'
import { sameToken } from './token.ts'

/** One sentence for each, those about the verdict first. */
export const surprises = (
  file: RobotsFile,
  token: string,
  url: HttpUrl,
  judgement: Judgement,
): readonly string[] => {
  const { selection } = judgement
  return [
    ...withoutEffect(judgement),
    ...withoutRules(file, selection, token),
    ...hiddenByOwnGroup(file, token, url, judgement),
    ...sharedRules(file, selection, token),
    ...delayOfOthers(file, selection, token),
    ...nearNames(file, selection, token),
    ...notes(file, selection),
  ]
}

/** A Disallow that a longer Allow outweighs; the other way round is what a Disallow is for. */
const withoutEffect = ({ rule, outweighed }: Judgement): readonly string[] => {
  if (rule === null || outweighed?.verdict !== 'disallow') return []
  const length = outweighed.pattern.octets < rule.pattern.octets ? 'longer' : 'equally long'
  return [
    `On this address ${quoted(outweighed)}, has no effect: the ${length} Allow on line ${rule.line} wins, wherever they stand (§2.2.2).`,
  ]
}

/** Only the last group of a file can lack even an empty rule (§2.1). */
const withoutRules = (
  file: RobotsFile,
  { agents, groups }: Selection,
  token: string,
): readonly string[] => {
  const last = groups.length === 0 ? undefined : groups.at(groups.length - 1)
  if (last === undefined || last.closed || groups.length > 1) return []
  const before = file.groups.length > 1 ? '; the rules above belong to other groups' : ''
  return [
    `The group of ${token}, named on ${agentLines(agents)}, ends with the file and has no rule, so it forbids nothing${before} (§2.1).`,
  ]
}

const hiddenByOwnGroup = (
  file: RobotsFile,
  token: string,
  url: HttpUrl,
  { allowed, basis, selection }: Judgement,
): readonly string[] => {
  if (selection.kind !== 'own' || sameToken(token, '*') || basis === 'robots-file') return []
  const everybody = judgeRobots(file, '*', url)
  if (everybody.selection.kind !== 'own') return []
  const { agents, crawlDelay } = everybody.selection
  const hidden = `because ${token} has a group of its own (§2.2.1)`
  const found: string[] = []
  if (everybody.rule !== null && everybody.allowed !== allowed) {
    found.push(
      `The group for *, named on ${agentLines(agents)}, says the opposite with ${quoted(everybody.rule)}; it does not count, ${hidden}.`,
    )
  }
  if (crawlDelay !== null && selection.crawlDelay === null) {
    found.push(
      `The Crawl-delay of ${seconds(crawlDelay.milliseconds)} on line ${crawlDelay.line} is for * and does not count, ${hidden}.`,
    )
  }
  return found
}

/** A Sitemap, a Crawl-delay or a blank line between two User-agent lines does not part them. */
const sharedRules = (file: RobotsFile, selection: Selection, token: string): readonly string[] => {
  const names = new Set<string>()
  const others: number[] = []
  for (const { agents } of eachOf(selection.groups)) {
    for (let place = agents.from; place < agents.to; place += 1) {
      const { name } = file.agents.at(place)
      if (name === '' || isChosen(name, selection, token)) continue
      others.push(place)
      if (names.size <= NAMED_MAX) names.add(name.slice(0, 50))
    }
  }
  if (others.length === 0) return []
  return [
    `The same rules bind ${listed([...names])}, named on ${agentLines(rowsOf(file.agents, others))}: only a rule ends a run of User-agent lines, not a blank line, Crawl-delay or Sitemap (§2.1, §2.2.4).`,
  ]
}

const isChosen = (name: string, { kind }: Selection, token: string): boolean =>
  sameToken(name, kind === 'own' ? token : '*')

/** A Crawl-delay inside a run of User-agent lines speaks to those above it only. */
const delayOfOthers = (
  file: RobotsFile,
  { groups, crawlDelay }: Selection,
  token: string,
): readonly string[] => {
  const longest = [...eachOf(groups)].slice(0, NAMED_MAX).flatMap((group) => delaysIn(file, group))
  const other = longest.find((delay) => delay.milliseconds > (crawlDelay?.milliseconds ?? 0))
  return other === undefined
    ? []
    : [
        `The Crawl-delay of ${seconds(other.milliseconds)} on line ${other.line} speaks to the User-agent lines right above it only, which do not name ${token}.`,
      ]
}

/** The delays that stand inside a group, a run of agent lines each. */
const delaysIn = (file: RobotsFile, { agents }: Group): readonly CrawlDelay[] => {
  if (agents.from === agents.to) return []
  const first = file.agents.at(agents.from).run
  const last = file.agents.at(agents.to - 1).run
  return file.delays.slice(first, last + 1).filter((delay) => delay !== null)
}

const NEAR_LENGTH_MIN = 4

/** A name that begins like ours is another crawler’s: tokens are compared whole (§2.2.1). */
const nearNames = (file: RobotsFile, { kind }: Selection, token: string): readonly string[] => {
  if (kind === 'own' || token.length < NEAR_LENGTH_MIN) return []
  const ours = token.toLowerCase()
  for (const { line, name } of eachOf(file.agents)) {
    if (name.length < NEAR_LENGTH_MIN || name.length > 200) continue
    const theirs = name.toLowerCase()
    if (!theirs.startsWith(ours) && !ours.startsWith(theirs)) continue
    return [`Line ${line} names ${name}, which is not ${token}: names are compared whole (§2.2.1).`]
  }
  return []
}

/** Issues of the whole file, of the groups that were chosen, and of lines before every group. */
const notes = (file: RobotsFile, { groups }: Selection): readonly string[] => {
  const spans = Array.from(eachOf(groups), (group) => linesOf(file, group))
  const told = file.issues.filter(
    ({ line, code }) =>
      line === 0 ||
      code === 'rule-outside-group' ||
      spans.some(({ from, to }) => line >= from && line < to),
  )
  const untold = file.issueCount - Math.min(told.length, NAMED_MAX)
  return [
    ...told.slice(0, NAMED_MAX).map(noteOf),
    ...(untold > 0 ? [`The file has ${untold} more line(s) worth a look.`] : []),
  ]
}

const noteOf = ({ line, code }: Issue): string => {
  const meaning = ISSUE_MEANINGS[code]
  return line === 0
    ? `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`
    : `Line ${line}: ${meaning}.`
}

/** From a group's first User-agent line to that of the next group. */
const linesOf = (file: RobotsFile, { agents }: Group): { from: number; to: number } => ({
  from: file.agents.at(agents.from).line,
  to: agents.to < file.agents.length ? file.agents.at(agents.to).line : Number.POSITIVE_INFINITY,
})
