import type { Command } from 'commander'
import type { CommonFlags } from '../config.ts'
import { formatInstant } from '../kernel/instant.ts'
import type { ChangedLine } from '../readers/difference/line-difference.ts'
import { type Capture, type FileDiff, fileDiff } from '../shell/file-diff.ts'
import { forPrograms, type Verb, verb, withOpened } from './command.ts'
import { fileArgument } from './history.ts'
import { momentArgument } from './moment-argument.ts'
import { document, line, safe } from './print.ts'
import { siteArgument } from './site-argument.ts'

type DiffFlags = CommonFlags & { readonly json?: boolean; readonly jsonl?: boolean }

type Given = readonly [site: string, file: string, a: string, b: string]

export const diffVerb: Verb = (io) =>
  forPrograms(
    verb('diff', 'which lines of a file changed between two captures, and what they mean'),
  )
    .argument('<site>', 'the site')
    .argument('<file>', 'ads.txt or robots.txt')
    .argument('<a>', 'a position or a time (UTC): the newest kept capture by then')
    .argument('<b>', 'another one')
    .addHelpText(
      'after',
      `
Positions are those of: crawl-ledger history SITE FILE.
--json: {"before","after","lines":[{"change":"removed"|"added","line","text","means":[…]}]}; --jsonl: one line each.

Examples:
  crawl-ledger diff example.org ads.txt 120 340
  crawl-ledger diff example.org robots.txt 2026-11-01 2026-11-30`,
    )
    .action(async (...given: readonly [...Given, DiffFlags, Command]) => {
      const [domain, name, a, b, flags] = given
      const of = { site: siteArgument(domain), file: fileArgument(name) }
      const [from, to] = [momentArgument(a), momentArgument(b)]
      await withOpened(io, flags, async (opened) => {
        const found = await fileDiff(opened, of, from, to)
        if (flags.json === true) return io.out(document(valueOf(found)))
        if (flags.jsonl === true) return io.out(found.lines.map(line).join(''))
        await io.out(shown(found))
      })
    })

const valueOf = ({ before, after, lines }: FileDiff) => ({
  before: captureValue(before),
  after: captureValue(after),
  lines,
})

const captureValue = ({ position, at, url, commit }: Capture) => ({
  position,
  at: formatInstant(at),
  url,
  commit,
})

const shown = ({ before, after, lines }: FileDiff): string =>
  [
    `--- ${captureText(before)}\n+++ ${captureText(after)}\n`,
    ...(lines.length === 0 ? ['no line changed\n'] : lines.map(lineText)),
  ].join('')

const captureText = ({ position, at, url }: Capture): string =>
  safe(`${url}  position ${position}  ${formatInstant(at)}`)

const TEXT_SHOWN_MAX = 500

const lineText = ({ change, line: number, text, means }: ChangedLine): string => {
  const sign = change === 'removed' ? '-' : '+'
  const says = means.map((meaning) => `      ${safe(meaning.slice(0, TEXT_SHOWN_MAX))}\n`)
  return `${sign} ${String(number).padStart(4)}  ${safe(text.slice(0, TEXT_SHOWN_MAX))}\n${says.join('')}`
}
