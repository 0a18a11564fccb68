/** The lists of a robots.txt while it is read: columns of numbers beside the octets they point into. */
import { canonicalPattern } from './octets.ts'
import type { AgentLine, Group, Rules, SitemapLine, Verdict } from './robots-file.ts'
import { intColumn, type Rows } from './rows.ts'

/** Where something stands in the octets of the file. */
export type Place = { readonly line: number; readonly begin: number; readonly end: number }

type Places = {
  readonly length: () => number
  readonly add: (place: Place) => void
  readonly lineAt: (index: number) => number
  readonly endAt: (index: number) => number
  readonly textAt: (index: number) => string
}

const places = (octets: string): Places => {
  const [lines, begins, ends] = [intColumn(), intColumn(), intColumn()]
  return {
    length: lines.length,
    add: ({ line, begin, end }) => {
      lines.push(line)
      begins.push(begin)
      ends.push(end)
    },
    lineAt: lines.at,
    endAt: ends.at,
    textAt: (index) => octets.slice(begins.at(index), ends.at(index)),
  }
}

export type AgentList = {
  readonly length: () => number
  readonly rows: () => Rows<AgentLine>
  readonly add: (name: Place, run: number) => void
}

export const agentList = (octets: string): AgentList => {
  const [names, runs] = [places(octets), intColumn()]
  return {
    add: (name, run) => {
      names.add(name)
      runs.push(run)
    },
    length: runs.length,
    rows: () => ({
      length: runs.length(),
      at: (i) => ({ line: names.lineAt(i), name: names.textAt(i), run: runs.at(i) }),
    }),
  }
}

export type SitemapList = {
  readonly rows: () => Rows<SitemapLine>
  readonly add: (value: Place) => void
}

export const sitemapList = (octets: string): SitemapList => {
  const values = places(octets)
  return {
    add: values.add,
    rows: () => ({
      length: values.length(),
      at: (i) => ({ line: values.lineAt(i), value: values.textAt(i) }),
    }),
  }
}

export type RuleList = {
  readonly length: () => number
  readonly rows: () => Rules
  /** `record` is the whole record; its last octets are the value. */
  readonly add: (verdict: Verdict, record: Place, value: string) => void
}

/** Flags of a rule. The bits above say which of the rewritten patterns is its, plus one. */
const ALLOW = 1
const ANCHORED = 2
const REWRITTEN_SHIFT = 2

export const ruleList = (octets: string): RuleList => {
  const records = places(octets)
  const [values, lengths, flags] = [intColumn(), intColumn(), intColumn()]
  /** The canonical octets that are not those of the file. */
  const rewritten: string[] = []
  const patternText = (i: number): string => {
    const anotherText = rewritten[(flags.at(i) >> REWRITTEN_SHIFT) - 1]
    if (anotherText !== undefined) return anotherText
    const end = records.endAt(i)
    return octets.slice(end - values.at(i), (flags.at(i) & ANCHORED) === 0 ? end : end - 1)
  }
  const verdictAt = (i: number): Verdict => ((flags.at(i) & ALLOW) === 0 ? 'disallow' : 'allow')
  const at: Rules['at'] = (i) => ({
    line: records.lineAt(i),
    verdict: verdictAt(i),
    text: records.textAt(i),
    pattern: {
      text: patternText(i),
      anchored: (flags.at(i) & ANCHORED) !== 0,
      octets: lengths.at(i),
    },
  })
  return {
    add: (verdict, record, value) => {
      const { text, anchored, octets: length } = canonicalPattern(value)
      const isAsWritten = text === (anchored ? value.slice(0, -1) : value)
      const other = isAsWritten ? 0 : rewritten.push(text)
      records.add(record)
      values.push(value.length)
      lengths.push(length)
      flags.push(
        (verdict === 'allow' ? ALLOW : 0) | (anchored ? ANCHORED : 0) | (other << REWRITTEN_SHIFT),
      )
    },
    length: flags.length,
    rows: () => ({ length: flags.length(), at, verdictAt, octetsAt: lengths.at }),
  }
}

/** The group that is being read: `open` begins another one, `close` says that a rule stands in it. */
export type GroupList = {
  readonly rows: (ends: { readonly agents: number; readonly rules: number }) => Rows<Group>
  readonly isEmpty: () => boolean
  readonly isClosed: () => boolean
  readonly open: (agents: number, rules: number) => void
  readonly close: () => void
}

/** A group reaches from where it was opened to where the next one was. */
export const groupList = (): GroupList => {
  const [agents, rules] = [intColumn(), intColumn()]
  let closed = true
  return {
    isEmpty: () => agents.length() === 0,
    isClosed: () => closed,
    open: (agent, rule) => {
      agents.push(agent)
      rules.push(rule)
      closed = false
    },
    close: () => {
      closed = true
    },
    rows: (ends) => {
      const length = agents.length()
      const nextOf = (i: number, end: number, begins: (at: number) => number): number =>
        i + 1 < length ? begins(i + 1) : end
      return {
        length,
        at: (i) => ({
          agents: { from: agents.at(i), to: nextOf(i, ends.agents, agents.at) },
          rules: { from: rules.at(i), to: nextOf(i, ends.rules, rules.at) },
          closed: i + 1 < length || closed,
        }),
      }
    },
  }
}
