import { Command } from 'commander'
import { folderAt } from '../../compose.ts'
import type { CommonFlags } from '../../config.ts'
import { exportTlog } from '../../shell/tlog/export-tlog.ts'
import { forPrograms, type Verb, verb, withOpened } from '../command.ts'
import { document, line, safe } from '../print.ts'

type ExportFlags = CommonFlags & { json?: boolean; jsonl?: boolean }

const BETWEEN_LINES_MS = 1_000

const tlogVerb: Verb = (io) =>
  forPrograms(verb('tlog', 'the log up to its newest head, as static files (C2SP tlog-tiles)'))
    .argument('<dir>', 'where to write; an earlier export there is carried on')
    .addHelpText('after', '\nExample:\n  crawl-ledger export tlog ./public/log')
    .action(async (dir: string, flags: ExportFlags) => {
      await withOpened(io, flags, async ({ ledger, tlog }) => {
        let told = performance.now()
        const exported = await exportTlog({ ...tlog, ledger }, folderAt(dir), (done, of) => {
          if (performance.now() - told < BETWEEN_LINES_MS) return
          told = performance.now()
          io.err(`exported ${done} of ${of} entries\n`)
        })
        if (flags.json === true) return io.out(document(exported))
        if (flags.jsonl === true) return io.out(line(exported))
        const { size, before, files } = exported
        const new_ = `${size - before} new entries, ${files} files written`
        await io.out(`${safe(`${exported.origin}: ${size} entries in ${dir} (${new_})`)}\n`)
      })
    })

export const exportVerb: Verb = (io) =>
  // Without flags of its own: it would take those of the verb behind it.
  new Command('export')
    .description('write the ledger out in forms that other programs read')
    .addHelpText('after', '\nExample:\n  crawl-ledger export tlog ./public/log')
    .addCommand(tlogVerb(io))
