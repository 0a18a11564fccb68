import type { CommonFlags } from '../../config.ts'
import { formatInstant, instant } from '../../kernel/instant.ts'
import { Halt } from '../../shell/halt.ts'
import type { VerifyReport } from '../../shell/tlog/verify-report.ts'
import { verify } from '../../shell/tlog/verify.ts'
import { forPrograms, type Verb, verb, withOpened } from '../command.ts'
import { document, line, safe } from '../print.ts'
import { grouped, positionsTo } from '../progress.ts'
import { predecessorLines } from './predecessor.ts'

const INTERRUPTED = 5

type VerifyFlags = CommonFlags & { full?: boolean; json?: boolean; jsonl?: boolean }

export const verifyVerb: Verb = (io) =>
  forPrograms(verb('verify', 'check the ledger against its tree, its signed heads and kept bodies'))
    .option('--full', 'read everything again, also what was verified before')
    .addHelpText(
      'after',
      `
Without --full only what came since the last verification is read; what that rests on is said. Ends
with code 3 and the first bad position if something does not hold, with code 1 if an erasure was not
carried out (a body is still there, and an event says that it was erased).

Examples:
  crawl-ledger verify
  crawl-ledger verify --full --json`,
    )
    .action(async (flags: VerifyFlags) => {
      await withOpened(io, flags, async ({ ledger, tlog, bodies, clock }) => {
        const report = await verify(
          { ...tlog, ledger, bodies },
          {
            full: flags.full === true,
            now: clock.now(),
            stop: io.stop,
            progress: positionsTo(io, 'verified up to position'),
          },
        )
        if (flags.json === true) await io.out(document(report))
        else if (flags.jsonl === true) await io.out(line(report))
        else if (report.breach === null) await io.out(shown(report))
        if (report.stillThere > 0) io.exitWith(1)
        if (report.interrupted) io.exitWith(INTERRUPTED)
        if (report.breach !== null)
          throw new Halt({ tag: 'IntegrityBreach', ...described(report.breach) })
      })
    })

const described = ({ position, until, because }: NonNullable<VerifyReport['breach']>) => ({
  position,
  because: until > position ? `${because} (it lies in positions ${position} to ${until})` : because,
})

const shown = (report: VerifyReport): string => {
  const { origin, from, to, before, head, unsealed } = report
  if (origin === null) return 'the ledger is empty: nothing to verify\n'
  const lines = [
    report.interrupted
      ? `interrupted; so far without a fault, of ${safe(origin)}:`
      : `${safe(origin)} holds:`,
    report.entries === 0
      ? `  nothing came since position ${grouped(to)}`
      : `  positions ${grouped(from)} to ${grouped(to)}: ${grouped(report.entries)} entries of ${grouped(report.bytes)} bytes, ${grouped(report.heads)} signed heads${report.cosignatures === 0 ? '' : ` with ${grouped(report.cosignatures)} cosignatures`}, ${grouped(report.bodies)} kept bodies`,
  ]
  lines.push(...predecessorLines(report.predecessor))
  if (report.erased > 0)
    lines.push(`  ${grouped(report.erased)} kept bodies were erased, each by an event that says so`)
  if (report.stillThere > 0)
    lines.push(
      `  ${grouped(report.stillThere)} bodies are still there that were to be erased, the first by event ${report.firstStillThere}: run erase --resume`,
    )
  if (before !== null)
    lines.push(
      `  positions 1 to ${grouped(before.size)} and their bodies were not read again: they were verified until ${formatInstant(instant(before.at))}, and the tree still has that root; all was last read on ${formatInstant(instant(before.fullAt))} (--full reads it again)`,
    )
  lines.push(
    head === null
      ? '  no head was met that could be compared'
      : `  newest head: ${grouped(head.size)} entries, root ${head.root}`,
  )
  if (unsealed > 0)
    lines.push(`  ${grouped(unsealed)} entries behind it are not covered by a signed head`)
  if (report.signatures === 'no key here')
    lines.push(
      '  the signatures of the heads were not checked: this data directory has no key of the log',
    )
  if (report.lastSigned === 'not here')
    lines.push('  nothing outside the database says what was signed last')
  return `${lines.join('\n')}\n`
}
