import type { Opened } from '../../compose.ts'
import { readText } from '../../compose.ts'
import type { CommonFlags, Config } from '../../config.ts'
import { E } from '../../kernel/fp.ts'
import { PREDECESSOR_MAX } from '../../ledger/events/log/log-opened.ts'
import { type Head, parseHead } from '../../ledger/tlog/head.ts'
import { isSimulated } from '../../ledger/tlog/origin.ts'
import { formatNote } from '../../ledger/tlog/note.ts'
import { Halt } from '../../shell/halt.ts'
import { readLogRecord } from '../../shell/tlog/log-record.ts'
import { timed, type Verb, verb, withOpened } from '../command.ts'
import { beginLog, newRun } from '../night.ts'
import { safe } from '../print.ts'
import { sealNow } from '../sealing.ts'

type OpenFlags = CommonFlags & { readonly after?: string }

export const openLogVerb: Verb = (io) =>
  timed(verb('open-log', 'begin a new log, as the first run or act would; it may follow another'))
    .option('--origin <name>', 'the name of the log')
    .option('--after <file>', 'the last signed head of the log that this one follows')
    .addHelpText(
      'after',
      `
Where a log cannot be continued (its newest entries or its key are lost), the new one quotes the last head
that was signed, in its first entry and for ever. It takes a data directory and a database of its own.

Example:
  crawl-ledger open-log --data new --after old/signing/last-signed`,
    )
    .action(async (flags: OpenFlags) => {
      const head = flags.after === undefined ? undefined : await headIn(flags.after)
      await withOpened(io, flags, async (opened, config) => {
        await assertNew(opened, config, head)
        const given = head === undefined ? {} : { predecessor: formatNote(head.note) }
        const log = await beginLog(opened, config, newRun(opened), given)
        await sealNow(io, opened)
        const follows =
          head === undefined
            ? ''
            : `; it follows ${head.origin}, which ended with ${head.size} entries`
        await io.out(`${safe(`the log ${log.origin} is open${follows}`)}\n`)
      })
    })

const headIn = async (file: string): Promise<Head> => {
  const text = await readText(file)
  const head = parseHead(text)
  if (E.isLeft(head)) throw new Halt(head.left)
  if (text.length <= PREDECESSOR_MAX) return head.right
  throw new Halt({
    tag: 'WrongUse',
    because: `${file} is longer than the ${PREDECESSOR_MAX} characters that an entry can quote; leave witnesses out of it`,
  })
}

const assertNew = async (
  { ledger, clock }: Opened,
  { origin }: Config,
  head: Head | undefined,
): Promise<void> => {
  const log = await readLogRecord(ledger)
  if (log !== undefined)
    throw new Halt({
      tag: 'WrongUse',
      because: `the database holds the log ${log.origin} already; a new log takes another --data directory, and a database of its own`,
    })
  if (head !== undefined && isSimulated(head.origin) !== (clock.kind === 'simulated'))
    throw new Halt({
      tag: 'WrongUse',
      because: `${head.origin} cannot be followed by a log with the ${clock.kind} clock: nights and rehearsals never mix`,
    })
  if (head !== undefined && head.origin === origin)
    throw new Halt({ tag: 'WrongUse', because: `the old log has this name already: ${origin}` })
}
