import type { CommonFlags } from '../../config.ts'
import { formatInstant, instant } from '../../kernel/instant.ts'
import { NO_WITNESSES, type Witnesses } from '../../ledger/tlog/witness.ts'
import { Halt } from '../../shell/halt.ts'
import { type CosignedHead, newestHead } from '../../shell/tlog/cosigned-heads.ts'
import { headIn, readLogRecord } from '../../shell/tlog/log-record.ts'
import { forPrograms, type Io, type Verb, verb, withOpened } from '../command.ts'
import { document, line, safe } from '../print.ts'

type HeadFlags = CommonFlags & { json?: boolean; jsonl?: boolean }

export const headVerb: Verb = (io) =>
  forPrograms(verb('head', 'the newest signed head of the log, as outsiders verify it'))
    .addHelpText(
      'after',
      `
Printed is a C2SP checkpoint: origin, number of entries, root, and signatures. Give it to somebody
who keeps it: whoever has it can tell later whether the log still grows out of it. When its witnesses
cosigned it last is said on standard error: an old time on the newest head is a question to ask.

Example:
  crawl-ledger head > head-of-today`,
    )
    .action(async (flags: HeadFlags) => {
      await withOpened(io, flags, async ({ ledger, tlog }) => {
        const { witnesses = NO_WITNESSES } = (await readLogRecord(ledger)) ?? {}
        const newest = await newestHead(tlog, witnesses)
        if (newest === undefined)
          throw new Halt({
            tag: 'NotFound',
            because: 'no head was signed yet; a run signs the first',
          })
        const { origin, size, root } = headIn('the newest head', newest.note)
        const cosigned = cosignedIn(newest, witnesses)
        const checkpoint = newest.note
        const answer = { origin, size, root: root.toString('base64'), checkpoint, cosigned }
        if (flags.json === true) return io.out(document(answer))
        if (flags.jsonl === true) return io.out(line(answer))
        await io.out(newest.note.split('\n').map(safe).join('\n'))
        tellAge(io, cosigned)
      })
    })

type CosignedBy = { readonly witness: string; readonly at: string | null }

/** When each witness that is asked now cosigned this head last; null: it did not. */
const cosignedIn = ({ cosignatures }: CosignedHead, { named }: Witnesses): readonly CosignedBy[] =>
  named.map(({ key }) => {
    const own = cosignatures.find((one) => one.key === key.vkey)
    const at = own === undefined ? null : formatInstant(instant(own.time * 1_000))
    return { witness: key.name, at }
  })

/** Beside the note, not in it: how old the newest head may be is for whoever asks to judge. */
const tellAge = (io: Io, cosigned: readonly CosignedBy[]): void => {
  for (const { witness, at } of cosigned)
    io.err(
      `${safe(at === null ? `not cosigned by ${witness} yet` : `cosigned by ${witness} at ${at}`)}\n`,
    )
}
