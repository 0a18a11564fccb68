import { exportedFilesAt, readText } from '../../compose.ts'
import { E } from '../../kernel/fp.ts'
import { isSimulated } from '../../ledger/tlog/origin.ts'
import { parsePolicy, type Policy } from '../../publish/policy.ts'
import { Halt } from '../../shell/halt.ts'
import { checkExport, type CheckedExport } from '../../shell/tlog/check-export.ts'
import { collect, forPrograms, type Verb, verb } from '../command.ts'
import { document, line, safe } from '../print.ts'
import { grouped, positionsTo } from '../progress.ts'
import { predecessorLines } from './predecessor.ts'

type CheckFlags = {
  policy?: string
  vkey?: string
  head?: readonly string[]
  json?: boolean
  jsonl?: boolean
}

const INTERRUPTED = 5

export const checkExportVerb: Verb = (io) =>
  forPrograms(verb('check-export', 'check what `export tlog` wrote; needs no database'))
    .argument('<dir>', 'the directory of the export')
    .option('--policy <file>', 'whose signatures you trust')
    .option('--vkey <vkey>', 'or only the key of the log you trust')
    .option(
      '--head <file>',
      'a head you kept, out of which the log must have grown; repeatable',
      collect,
    )
    .addHelpText(
      'after',
      `
Every byte of every file counts: the entries must give the hashes of the tiles, these the root, and the
checkpoint must sign that root under your policy or key. Take the key from somewhere else than the export.
Ends with code 3, the first file that does not hold and the positions it is about.

A log whose key was changed or that witnesses sign needs a policy: --vkey trusts one signature alone.

Examples:
  crawl-ledger check-export ./public/log --policy policy.txt
  crawl-ledger check-export ./public/log --policy policy.txt --head head-of-today
  crawl-ledger check-export ./public/log --vkey "$(cat vkey.txt)"`,
    )
    .action(async (dir: string, flags: CheckFlags) => {
      const policy = await policyOf(flags)
      const kept = await Promise.all(
        (flags.head ?? []).map(async (name) => ({ name, note: await readText(name) })),
      )
      const asked = {
        policy,
        kept,
        progress: positionsTo(io, 'checked up to position'),
        stop: io.stop,
      }
      const checked = await checkExport(exportedFilesAt(dir), asked)
      if (checked === undefined) return io.exitWith(INTERRUPTED)
      if (flags.json === true) return io.out(document(checked))
      if (flags.jsonl === true) return io.out(line(checked))
      await io.out(shown(checked))
    })

const policyOf = async ({ policy, vkey }: CheckFlags): Promise<Policy> => {
  if ((policy === undefined) === (vkey === undefined))
    throw new Halt({
      tag: 'WrongUse',
      because:
        'check-export takes --policy FILE or --vkey VKEY: without a key from elsewhere an export proves only that whoever made it could add up hashes',
    })
  const parsed =
    policy === undefined
      ? parsePolicy('--vkey', `log ${vkey}\nquorum none\n`)
      : parsePolicy(policy, await readText(policy))
  if (E.isLeft(parsed)) throw new Halt(parsed.left)
  return parsed.right
}

const shown = ({ origin, size, root, files, earlier, bytes, ...told }: CheckedExport): string =>
  [
    `OK: the log ${safe(origin)}, positions 1 to ${grouped(size)}`,
    `  ${grouped(files)} files, ${grouped(bytes)} bytes of entries, root ${root}`,
    ...(earlier === 0
      ? []
      : [`  ${grouped(earlier)} of the files are partial ones of earlier sizes`]),
    `  the newest entry was recorded as ${told.ts} by the crawler’s clock`,
    ...predecessorLines(told.predecessor),
    ...(told.kept === 0 ? [] : [`  it grew out of ${grouped(told.kept)} heads that were kept`]),
    told.witnessed === null
      ? '  no witness has signed: the head has no time but the crawler’s own'
      : `  according to the witnesses ${safe(told.witnesses.join(', '))}, it was there at ${told.witnessed}`,
    ...(isSimulated(origin) ? ['  a rehearsal: its clock is simulated'] : []),
    '',
  ].join('\n')
