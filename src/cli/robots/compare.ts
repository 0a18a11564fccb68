import type { Command } from 'commander'
import { readBytes } from '../../compose.ts'
import {
  compareReaders,
  type Comparison,
  type Difference,
  DIFFERENCE_KINDS,
} from '../../robots/compare.ts'
import { secondReader } from '../../robots/second-reader.ts'
import { forPrograms, type Io, verb } from '../command.ts'
import { document, line, safe } from '../print.ts'

type CompareFlags = { readonly json?: boolean; readonly jsonl?: boolean }

/** One line of `--jsonl`: a decision that differs, or a file that was not taken. */
type Found = { readonly file: string } & (Difference | { readonly declined: string })

export const robotsCompareVerb = (io: Io): Command =>
  forPrograms(
    verb(
      'compare',
      'where robots-parser would decide otherwise about addresses of a file, and why',
    ),
  )
    .argument('<files...>', 'robots.txt files')
    .addHelpText(
      'after',
      `
Addresses are made from the rules of each file, for agents that it names and one that it does not.
Exit code 1: a difference that nothing known explains.

Example:
  crawl-ledger robots compare robots.txt other/robots.txt`,
    )
    .action(async (files: readonly string[], flags: CompareFlags) => {
      const tally = new Map<string, number>()
      const all: Found[] = []
      let decisions = 0
      for (const file of files) {
        if (io.stop.aborted) return io.exitWith(5)
        const comparison = compareReaders(await readBytes(file), secondReader)
        decisions += comparison.decisions
        for (const found of foundIn(file, comparison)) {
          const kind = kindOf(found)
          tally.set(kind, (tally.get(kind) ?? 0) + 1)
          if (flags.json === true) all.push(found)
          else await io.out(flags.jsonl === true ? line(found) : inWords(found))
        }
      }
      if (tally.has('unexplained')) io.exitWith(1)
      const kinds = Object.fromEntries(tally)
      const summary = { files: files.length, decisions, kinds }
      if (flags.json === true) return io.out(document({ ...summary, found: all }))
      if (flags.jsonl !== true) await io.out(summed(summary))
    })

const foundIn = (file: string, { declined, differences }: Comparison): readonly Found[] => [
  ...differences.map((difference) => ({ file, ...difference })),
  ...(declined === null ? [] : [{ file, declined }]),
]

const kindOf = (found: Found): string =>
  'declined' in found ? 'declined' : found.kinds.join(' + ')

const inWords = (found: Found): string => {
  if ('declined' in found) return `${safe(`${found.file}: declined, ${found.declined}`)}\n`
  const { file, agent, url, allowed, line: rule, second, kinds } = found
  const verdict = (one: boolean, at: number): string =>
    `${one ? 'allows' : 'forbids'}${at === 0 ? '' : ` by line ${at}`}`
  const why = kinds.map((kind) => DIFFERENCE_KINDS[kind]).join('; ')
  const text = `${file}: ${agent} ${url}: ours ${verdict(allowed, rule)}, robots-parser ${verdict(second.allowed, second.line)}: ${why}`
  return `${safe(text)}\n`
}

const summed = (summary: {
  readonly files: number
  readonly decisions: number
  readonly kinds: Readonly<Record<string, number>>
}): string => {
  const { files, decisions, kinds } = summary
  const counted = Object.entries(kinds).map(
    ([kind, count]) => `${String(count).padStart(8)}  ${kind}\n`,
  )
  return `${decisions} decisions about ${files} file(s); different or declined:\n${counted.join('') || '    none\n'}`
}
