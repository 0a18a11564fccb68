import type { Issue } from './issue.ts'
import type { Pattern } from './octets.ts'
import type { Rows } from './rows.ts'

/** A User-agent line. `name` is as written: `*`, or '' where no product token stands. */
export type AgentLine = {
  readonly line: number
  readonly name: string
  /** Which of the file's `delays` speaks to it. */
  readonly run: number
}

export type Verdict = 'allow' | 'disallow'

export type Rule = {
  readonly line: number
  readonly verdict: Verdict
  /** The record as it stands in the file, one character per octet. */
  readonly text: string
  readonly pattern: Pattern
}

/** Rules, and of each what tells at a glance whether it can outweigh another one. */
export type Rules = Rows<Rule> & {
  readonly octetsAt: (index: number) => number
  readonly verdictAt: (index: number) => Verdict
}

export type CrawlDelay = { readonly line: number; readonly milliseconds: number }

/** Places in a list, `to` not included. */
export type Range = { readonly from: number; readonly to: number }

/**
 * User-agent lines and the rules they share (RFC 9309 §2.1), as places in the file's lists: each is
 * stored once, however many share it.
 */
export type Group = {
  readonly agents: Range
  readonly rules: Range
  /** Something that is a rule, if only an empty one, stands in it. Only the last group can lack one. */
  readonly closed: boolean
}

export type SitemapLine = { readonly line: number; readonly value: string }

/** A robots.txt as read: every line that says something, nothing merged or chosen yet. */
export type RobotsFile = {
  readonly agents: Rows<AgentLine>
  readonly rules: Rules
  readonly groups: Rows<Group>
  /**
   * A Crawl-delay does not end a group (§2.2.4), but it speaks only to the run of User-agent lines
   * above it: one entry for each run.
   */
  readonly delays: readonly (CrawlDelay | null)[]
  readonly sitemaps: Rows<SitemapLine>
  /** The first `ISSUES_LISTED_MAX`, in line order; `issueCount` counts them all. */
  readonly issues: readonly Issue[]
  readonly issueCount: number
  /** The file is longer than is read; what lies beyond says nothing (RFC 9309 §2.5). */
  readonly truncated: boolean
}
