import type { CommonFlags } from '../../config.ts'
import { orHalt, Halt } from '../../shell/halt.ts'
import { headIn } from '../../shell/tlog/log-record.ts'
import { forPrograms, type Verb, verb, withOpened } from '../command.ts'
import { document, line, safe } from '../print.ts'

type HeadFlags = CommonFlags & { json?: boolean; jsonl?: boolean }

export const headVerb: Verb = (io) =>
  forPrograms(verb('head', 'the newest signed head of the log, as outsiders verify it'))
    .addHelpText(
      'after',
      `
Printed is a C2SP checkpoint: origin, number of entries, root, and signatures. Give it to somebody
who keeps it: whoever has it can tell later whether the log still grows out of it.

Example:
  crawl-ledger head > head-of-today`,
    )
    .action(async (flags: HeadFlags) => {
      await withOpened(io, flags, async ({ tlog }) => {
        const newest = await orHalt(tlog.tree.newest())
        if (newest === undefined)
          throw new Halt({
            tag: 'NotFound',
            because: 'no head was signed yet; a run signs the first',
          })
        const { origin, size, root } = headIn('the newest head', newest.note)
        const answer = { origin, size, root: root.toString('base64'), checkpoint: newest.note }
        if (flags.json === true) return io.out(document(answer))
        if (flags.jsonl === true) return io.out(line(answer))
        await io.out(newest.note.split('\n').map(safe).join('\n'))
      })
    })
