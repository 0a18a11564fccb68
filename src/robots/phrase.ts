/** Parts of sentences about a robots.txt, bounded whatever stands in the file. */
import { textOfOctets } from './octets.ts'
import type { AgentLine, Rule } from './robots-file.ts'
import { eachOf, type Rows } from './rows.ts'

/** At most so many agents or lines are named in one sentence. */
export const NAMED_MAX = 10

const TEXT_MAX = 200

/** `1, 2, 3 and 4 more`, of which `words` are the first and `count` is the number of all. */
export const listed = (words: readonly string[], count = words.length): string => {
  const named = words.slice(0, NAMED_MAX)
  const unnamed = count - named.length
  return unnamed > 0 ? `${named.join(', ')} and ${unnamed} more` : named.join(', ')
}

/** `line 3`, `lines 3, 5`. */
export const agentLines = (agents: Rows<AgentLine>): string => {
  const lines = Array.from(eachOf(agents, 0, Math.min(agents.length, NAMED_MAX)), ({ line }) =>
    String(line),
  )
  return `line${agents.length === 1 ? '' : 's'} ${listed(lines, agents.length)}`
}

export const quoted = ({ line, text }: Pick<Rule, 'line' | 'text'>): string =>
  `line ${line}, “${textOfOctets(text, TEXT_MAX)}”`

export const seconds = (milliseconds: number): string =>
  `${milliseconds / 1_000} second${milliseconds === 1_000 ? '' : 's'}`

export const octets = (count: number): string => `${count} octet${count === 1 ? '' : 's'}`
