import type { Row } from '../../projections/projection.ts'
import type { CommonFlags } from '../config.ts'
import { E } from '../kernel/fp.ts'
import { parseHttpUrl } from '../kernel/url.ts'
import { Halt } from '../shell/halt.ts'
import { nearestRequests, type Wanted } from '../shell/projecting/nearest-requests.ts'
import { forPrograms, type Verb, verb, withOpened } from './command.ts'
import { timeArgument } from './log.ts'
import { cellText, document, line, table } from './print.ts'

type FindFlags = CommonFlags & {
  readonly time: string
  readonly url: string
  readonly window: string
  readonly json?: boolean
  readonly jsonl?: boolean
}

const SECONDS_MAX = 31_536_000

export const findVerb: Verb = (io) =>
  forPrograms(
    verb('find', 'the site owner’s question: which request of ours is this line of my log?'),
  )
    .requiredOption('--time <time>', 'when, as your log has it')
    .requiredOption('--url <url>', 'the address that was asked')
    .option('--window <seconds>', 'how far from that time to look, both ways', '300')
    .addHelpText(
      'after',
      '\nExit code 1: no such request.\n\nExample:\n  crawl-ledger find --time 2026-11-30T02:31:07Z --url https://example.org/ads.txt',
    )
    .action(async (flags: FindFlags) => {
      const wanted = wantedOf(flags)
      await withOpened(io, flags, async (opened) => {
        const found = await nearestRequests(opened, wanted)
        if (found.length === 0) io.exitWith(1)
        if (flags.json === true) return io.out(document(found))
        if (flags.jsonl === true) return io.out(found.map(line).join(''))
        await io.out(
          found.length === 0
            ? 'no request of ours to that address in that time\n'
            : shown(found, io.columns),
        )
      })
    })

const wantedOf = (flags: FindFlags): Wanted => {
  const url = parseHttpUrl(flags.url)
  if (E.isRight(url)) {
    const windowMs = secondsArgument(flags.window) * 1_000
    return { time: timeArgument('--time', flags.time), url: url.right, windowMs }
  }
  throw new Halt({ tag: 'WrongUse', because: `--url takes an http(s) address (${url.left})` })
}

const shown = (rows: readonly Row[], width: number): string =>
  table(
    rows,
    ['request', 'sent_at', 'outcome', 'status', 'programme', 'purpose', 'url'].map((column) => ({
      title: column,
      of: (row: Row) => cellText(row[column]),
    })),
    width,
  )

const secondsArgument = (given: string): number => {
  const seconds = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN
  if (seconds <= SECONDS_MAX) return seconds
  throw new Halt({ tag: 'WrongUse', because: `--window takes seconds from 0 to ${SECONDS_MAX}` })
}
