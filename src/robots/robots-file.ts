import type { Issue } from './issue.ts'
import type { Pattern } from './octets.ts'

/** A User-agent line. `name` is as written: `*`, or '' where no product token stands. */
export type AgentLine = {
  readonly line: number
  readonly name: string
  /** Which of the group's `delays` speaks to it. */
  readonly run: number
}

export type Rule = {
  readonly line: number
  readonly verdict: 'allow' | 'disallow'
  /** The record as it stands in the file, one character per octet. */
  readonly text: string
  readonly pattern: Pattern
}

export type CrawlDelay = { readonly line: number; readonly milliseconds: number }

/**
 * User-agent lines and the rules they share (RFC 9309 §2.1). A Crawl-delay does not end a group
 * (§2.2.4), but it speaks only to the run of agent lines above it: one entry of `delays` for each run.
 */
export type Group = {
  readonly agents: readonly AgentLine[]
  readonly rules: readonly Rule[]
  readonly delays: readonly (CrawlDelay | null)[]
}

export type SitemapLine = { readonly line: number; readonly value: string }

/** A robots.txt as read: every line that says something, nothing merged or chosen yet. */
export type RobotsFile = {
  readonly groups: readonly Group[]
  readonly sitemaps: readonly SitemapLine[]
  /** The first `ISSUES_LISTED_MAX`, in line order; `issueCount` counts them all. */
  readonly issues: readonly Issue[]
  readonly issueCount: number
  /** The file is longer than is read; what lies beyond says nothing (RFC 9309 §2.5). */
  readonly truncated: boolean
}
