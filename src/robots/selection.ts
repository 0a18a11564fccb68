import type { AgentLine, CrawlDelay, Group, RobotsFile } from './robots-file.ts'
import { sameToken } from './token.ts'

/**
 * The groups that bind an agent (RFC 9309 §2.2.1): all that name its token, merged; without one, all
 * that name `*`; without those, none. A group of its own, even an empty one, replaces `*` (RC24).
 */
export type Selection = {
  readonly kind: 'own' | 'everybody' | 'none'
  /** The User-agent lines that selected the groups, in file order. */
  readonly agents: readonly AgentLine[]
  readonly groups: readonly Group[]
  /** The longest Crawl-delay that speaks to those lines. */
  readonly crawlDelay: CrawlDelay | null
}

export const selectGroups = (file: RobotsFile, token: string): Selection => {
  const own = groupsNaming(file, token)
  if (own.agents.length > 0) return { kind: 'own', ...own }
  const everybody = groupsNaming(file, '*')
  return { kind: everybody.agents.length > 0 ? 'everybody' : 'none', ...everybody }
}

const groupsNaming = (file: RobotsFile, token: string): Omit<Selection, 'kind'> => {
  const agents: AgentLine[] = []
  const groups: Group[] = []
  let crawlDelay: CrawlDelay | null = null
  for (const group of file.groups) {
    const named = group.agents.filter(({ name }) => sameToken(name, token))
    if (named.length === 0) continue
    groups.push(group)
    for (const agent of named) {
      agents.push(agent)
      crawlDelay = longer(crawlDelay, group.delays[agent.run] ?? null)
    }
  }
  return { agents, groups, crawlDelay }
}

const longer = (a: CrawlDelay | null, b: CrawlDelay | null): CrawlDelay | null =>
  a === null || (b !== null && b.milliseconds > a.milliseconds) ? b : a
