/** Who cosigns the heads of the log: named by a person, recorded, printed in the policy. */
import { Command } from 'commander'
import type { Opened } from '../../compose.ts'
import type { CommonFlags } from '../../config.ts'
import { formatInstant, instant } from '../../kernel/instant.ts'
import { quorumOf, type Witness, type Witnesses, NO_WITNESSES } from '../../ledger/tlog/witness.ts'
import { Halt, orHalt } from '../../shell/halt.ts'
import { readLogRecord } from '../../shell/tlog/log-record.ts'
import { objectionText } from '../../shell/tlog/objecting.ts'
import {
  addWitness,
  nameWitnesses,
  removeWitness,
  setQuorum,
  type WitnessChange,
} from '../../shell/tlog/name-witnesses.ts'
import { forPrograms, type Io, type Verb, verb, withOpened } from '../command.ts'
import { beginLog, newRun } from '../night.ts'
import { sealNow } from '../sealing.ts'
import { document, line, safe, table } from '../print.ts'

type Flags = CommonFlags & { readonly json?: boolean; readonly jsonl?: boolean }
type ActFlags = Flags & { readonly by?: string; readonly note?: string }

export const witnessVerb: Verb = (io) =>
  new Command('witness')
    .description('who cosigns the heads of the log, and how many of them it takes')
    .addHelpText(
      'after',
      `
A witness keeps the newest head it has seen of each log and cosigns a later one only if that grew out
of it, with the time (C2SP tlog-witness). Heads are sent to each after every sealing of a run. Its
operator must know this log's key (crawl-ledger keys) before it answers.

Examples:
  crawl-ledger witness add https://witness.example/ witness.example/w+33762a59+BCms… --by "A. Operator"
  crawl-ledger witness list
  crawl-ledger witness quorum 2`,
    )
    .addCommand(addCommand(io))
    .addCommand(listCommand(io))
    .addCommand(removeCommand(io))
    .addCommand(quorumCommand(io))

const act = (name: string, summary: string): Command =>
  forPrograms(verb(name, summary))
    .option('--by <name>', 'who does this, for the record')
    .option('--note <text>', 'why, for those who read the ledger later')

const addCommand = (io: Io): Command =>
  act('add', 'have one more witness cosign the heads of this log')
    .argument('<url>', 'the prefix under which it takes heads: http or https')
    .argument('<vkey>', 'its key, as its operator gives it: NAME+ID+KEY')
    .addHelpText(
      'after',
      `
Take the key from the witness's operator by another way than its address.

Example:
  crawl-ledger witness add https://witness.example/ witness.example/w+33762a59+BCms… --by "A. Operator"`,
    )
    .action((url: string, vkey: string, flags: ActFlags) =>
      record(io, flags, addWitness(url, vkey)),
    )

const removeCommand = (io: Io): Command =>
  act('remove', 'ask a witness no more; what it has cosigned stays')
    .argument('<name>', 'its name, as witness list prints it')
    .addHelpText('after', '\nExample:\n  crawl-ledger witness remove witness.example/w')
    .action((name: string, flags: ActFlags) => record(io, flags, removeWitness(name)))

const quorumCommand = (io: Io): Command =>
  act('quorum', 'how many witnesses must have cosigned a head that is handed out as evidence')
    .argument('<count>', 'a number, or "majority": more than half, whoever is added')
    .addHelpText('after', '\nExample:\n  crawl-ledger witness quorum 2')
    .action((count: string, flags: ActFlags) => record(io, flags, setQuorum(countOf(count))))

const countOf = (given: string): number | null => {
  if (given === 'majority') return null
  if (/^[1-9]\d{0,3}$/.test(given)) return Number(given)
  throw new Halt({ tag: 'WrongUse', because: 'a quorum is a number from 1, or "majority"' })
}

const record = async (io: Io, flags: ActFlags, change: WitnessChange): Promise<void> => {
  if (flags.by?.trim() === '') throw new Halt({ tag: 'WrongUse', because: '--by takes a name' })
  await withOpened(io, flags, async (opened, config) => {
    // What is wrong is said before a log is opened for it. Who is left must have nothing against it.
    const { named } = change(await witnessesIn(opened))
    const run = newRun(opened)
    await beginLog(opened, config, run, { witnesses: named })
    await nameWitnesses(opened.ledger, change, {
      run,
      by: flags.by ?? null,
      note: flags.note ?? null,
    })
    await sealNow(io, opened)
    await tell(io, opened, flags)
  })
}

const listCommand = (io: Io): Command =>
  forPrograms(verb('list', 'who is asked, and what each cosigned last'))
    .addHelpText('after', '\nExample:\n  crawl-ledger witness list --json')
    .action((flags: Flags) => withOpened(io, flags, (opened) => tell(io, opened, flags)))

const witnessesIn = async ({ ledger }: Opened): Promise<Witnesses> =>
  (await readLogRecord(ledger))?.witnesses ?? NO_WITNESSES

type Listed = {
  readonly name: string
  readonly url: string
  readonly vkey: string
  /** The largest head it cosigned, and when it did so last. */
  readonly cosigned: { readonly size: number; readonly at: string } | null
  /** What it holds against this log, in words. */
  readonly objections: readonly string[]
}

const listed = async ({ tlog }: Opened, { key, url }: Witness): Promise<Listed> => {
  const newest = await orHalt(tlog.cosignatures.newestBy(key.vkey))
  const cosigned =
    newest === undefined
      ? null
      : { size: newest.size, at: formatInstant(instant(newest.time * 1_000)) }
  const open = (await orHalt(tlog.objections.read())).filter(
    ({ witness, settled }) => witness === key.vkey && settled === null,
  )
  return { name: key.name, url, vkey: key.vkey, cosigned, objections: open.map(objectionText) }
}

const tell = async (io: Io, opened: Opened, flags: Flags): Promise<void> => {
  const witnesses = await witnessesIn(opened)
  const list: Listed[] = []
  for (const witness of witnesses.named) list.push(await listed(opened, witness))
  const quorum = quorumOf(witnesses)
  if (flags.json === true) return io.out(document({ quorum, witnesses: list }))
  if (flags.jsonl === true) return io.out(list.map(line).join(''))
  if (list.length === 0) return io.out('no witness is asked; crawl-ledger witness add names one\n')
  await io.out(
    table(
      list,
      [
        { title: 'witness', of: ({ name }) => name },
        { title: 'asked at', of: ({ url }) => url },
        { title: 'cosigned', of: ({ cosigned }) => String(cosigned?.size ?? 'nothing yet') },
        { title: 'last at', of: ({ cosigned }) => cosigned?.at ?? '' },
      ],
      io.columns,
    ),
  )
  for (const text of list.flatMap(({ objections }) => objections)) await io.out(`${safe(text)}\n`)
  await io.out(`${safe(`quorum: ${quorum} of ${list.length}`)}\n`)
}
