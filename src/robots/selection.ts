import type { AgentLine, CrawlDelay, Group, RobotsFile } from './robots-file.ts'
import { type Rows, rowsOf } from './rows.ts'
import { sameToken } from './token.ts'

/**
 * The groups that bind an agent (RFC 9309 §2.2.1): all that name its token, merged; without one, all
 * that name `*`; without those, none. A group of its own, even an empty one, replaces `*` (RC24).
 */
export type Selection = {
  readonly kind: 'own' | 'everybody' | 'none'
  /** The User-agent lines that selected the groups, in file order. */
  readonly agents: Rows<AgentLine>
  readonly groups: Rows<Group>
  /** The longest Crawl-delay that speaks to those lines. */
  readonly crawlDelay: CrawlDelay | null
}

export const selectGroups = (file: RobotsFile, token: string): Selection => {
  const [own, everybody] = [named(), named()]
  for (let group = 0; group < file.groups.length; group += 1) {
    const { from, to } = file.groups.at(group).agents
    for (let agent = from; agent < to; agent += 1) {
      const { name, run } = file.agents.at(agent)
      const delay = file.delays[run] ?? null
      if (sameToken(name, token)) take(own, group, agent, delay)
      else if (name === '*') take(everybody, group, agent, delay)
    }
  }
  if (own.agents.length > 0) return { kind: 'own', ...selected(file, own) }
  const kind = everybody.agents.length > 0 ? 'everybody' : 'none'
  return { kind, ...selected(file, everybody) }
}

/** Places of User-agent lines of one name and of their groups, so far. */
type Named = { readonly agents: number[]; readonly groups: number[]; crawlDelay: CrawlDelay | null }

const named = (): Named => ({ agents: [], groups: [], crawlDelay: null })

const take = (into: Named, group: number, agent: number, delay: CrawlDelay | null): void => {
  into.agents.push(agent)
  if (into.groups.at(-1) !== group) into.groups.push(group)
  into.crawlDelay = longer(into.crawlDelay, delay)
}

const selected = (file: RobotsFile, { agents, groups, crawlDelay }: Named) => ({
  agents: rowsOf(file.agents, agents),
  groups: rowsOf(file.groups, groups),
  crawlDelay,
})

const longer = (a: CrawlDelay | null, b: CrawlDelay | null): CrawlDelay | null =>
  a === null || (b !== null && b.milliseconds > a.milliseconds) ? b : a
