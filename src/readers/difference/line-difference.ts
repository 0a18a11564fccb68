/** The lines that two versions of a file do not share. */
import { diffArrays } from 'diff'
import type { Meanings } from './line-meaning.ts'

export type ChangedLine = {
  readonly change: 'removed' | 'added'
  /** In the version that has it, from 1. */
  readonly line: number
  readonly text: string
  readonly means: readonly string[]
}

/** A version as its lines, and what they say. */
export type Version = { readonly text: string; readonly means: Meanings }

/** The search takes lines × edits: beyond so many edits the lines are compared as sets. */
const EDITS_MAX = 1_000

export const lineDifference = (before: Version, after: Version): readonly ChangedLine[] => {
  const [old, fresh] = [linesOf(before.text), linesOf(after.text)]
  const parts = diffArrays([...old], [...fresh], { maxEditLength: EDITS_MAX })
  if (parts === undefined) return asSets(before, after)
  let [oldLine, newLine] = [1, 1]
  const changed: ChangedLine[] = []
  for (const { added, removed, value } of parts) {
    for (const [i, text] of value.entries()) {
      if (removed) changed.push(lineOf('removed', oldLine + i, text, before))
      if (added) changed.push(lineOf('added', newLine + i, text, after))
    }
    if (!added) oldLine += value.length
    if (!removed) newLine += value.length
  }
  return changed
}

const lineOf = (
  change: ChangedLine['change'],
  line: number,
  text: string,
  { means }: Version,
): ChangedLine => ({ change, line, text, means: means.get(line) ?? [] })

/** A line end at the end of the file begins no line. */
const linesOf = (text: string): readonly string[] => {
  const lines = text.split(/\r\n|\r|\n/)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

const asSets = (before: Version, after: Version): readonly ChangedLine[] => [
  ...missingFrom('removed', before, after),
  ...missingFrom('added', after, before),
]

const missingFrom = (
  change: ChangedLine['change'],
  version: Version,
  other: Version,
): readonly ChangedLine[] => {
  const there = new Set(linesOf(other.text))
  return linesOf(version.text).flatMap((text, i) =>
    there.has(text) ? [] : [lineOf(change, i + 1, text, version)],
  )
}
