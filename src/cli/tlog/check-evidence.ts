import { folderAt, readText, timestampsBy } from '../../compose.ts'
import { E } from '../../kernel/fp.ts'
import { formatInstant } from '../../kernel/instant.ts'
import { isSimulated } from '../../ledger/tlog/origin.ts'
import { FILE_NAMES } from '../../publish/bundle.ts'
import { checkEvidence, type CheckedHead, type Evidence } from '../../publish/check-evidence.ts'
import { parsePolicy } from '../../publish/policy.ts'
import { Halt, orHalt } from '../../shell/halt.ts'
import { forPrograms, type Verb, verb } from '../command.ts'
import { document, line, safe } from '../print.ts'

type CheckFlags = { policy: string; tsaCa?: string; json?: boolean; jsonl?: boolean }

export const checkEvidenceVerb: Verb = (io) =>
  forPrograms(verb('check-evidence', 'check a bundle that `evidence` wrote; needs no database'))
    .argument('<dir>', 'the directory of the bundle')
    .requiredOption('--policy <file>', 'whose signatures you trust; not the file in the bundle')
    .option('--tsa-ca <file>', 'root certificate (PEM) of the time-stamping authority you trust')
    .addHelpText(
      'after',
      `
The policy says which log (and which witnesses) you trust. Take it from somewhere else than the bundle:
whoever changed the bundle could have changed its policy too. Ends with code 3 if the bundle proves nothing.

A time stamp in the bundle is believed only with --tsa-ca, and openssl checks it.

Examples:
  crawl-ledger check-evidence ./evidence-42 --policy policy.txt
  crawl-ledger check-evidence ./evidence-42 --policy policy.txt --tsa-ca tsa-root.pem`,
    )
    .action(async (dir: string, flags: CheckFlags) => {
      const policy = parsePolicy(flags.policy, await readText(flags.policy))
      if (E.isLeft(policy)) throw new Halt(policy.left)
      const checked = checkEvidence(await bundleIn(dir), policy.right)
      if (E.isLeft(checked)) throw new Halt(checked.left)
      const answer = await judged(checked.right, flags.tsaCa)
      if (flags.json === true) return io.out(document(answer))
      if (flags.jsonl === true) return io.out(line(answer))
      await io.out(shown(answer))
    })

type Judged = Omit<Evidence, 'stamp'> & {
  readonly timestamp: {
    readonly size: number
    readonly time: string
    /** Whether an authority that the checker trusts signed it; false: nobody asked. */
    readonly checked: boolean
  } | null
}

const judged = async ({ stamp, ...found }: Evidence, authorities?: string): Promise<Judged> => {
  if (stamp === null && authorities === undefined) return { ...found, timestamp: null }
  if (stamp === null) throw new Halt({ tag: 'TimestampRefused', because: 'the bundle has none' })
  if (authorities !== undefined) await orHalt((await timestampsBy(authorities))(stamp))
  const { size, time } = stamp
  return {
    ...found,
    timestamp: { size, time: formatInstant(time), checked: authorities !== undefined },
  }
}

const bundleIn = async (dir: string): Promise<ReadonlyMap<string, Buffer>> => {
  const folder = folderAt(dir)
  const names = await orHalt(folder.list())
  const bundle = new Map<string, Buffer>()
  for (const name of names) {
    // What does not belong there is refused by its name, whatever it is.
    const bytes = FILE_NAMES.includes(name) ? await orHalt(folder.read(name)) : Buffer.alloc(0)
    if (bytes !== undefined) bundle.set(name, bytes)
  }
  if (bundle.size > 0) return bundle
  throw new Halt({ tag: 'WrongUse', because: `${dir} holds no evidence` })
}

const headText = ({ size, witnessed }: CheckedHead): string =>
  witnessed === null
    ? `its head of ${size} entries`
    : `its head of ${size} entries (witnessed ${witnessed})`

const BODIES: { readonly [body in Evidence['body']]: string } = {
  erased: 'the body that was recorded is withheld',
  fits: 'the body in the bundle is the one that was recorded',
  'not in the bundle': 'the body that was recorded is not in the bundle',
  'none kept': 'no body was kept of it',
}

const stampText = ({ size, time, checked }: NonNullable<Judged['timestamp']>): string =>
  checked
    ? `  stamped: an authority that you trust saw a head with it, of ${size} entries, by ${time}`
    : `  a time stamp says that a head with it, of ${size} entries, was there by ${time}: not checked, give --tsa-ca`

const shown = (found: Judged): string => {
  const { origin, position, type, ts, after, before, witnesses, timestamp, body, erased } = found
  const bracket =
    after === null
      ? `logged before the log signed ${headText(before)}; the bundle has no earlier head`
      : `logged after the log signed ${headText(after)}, before it signed ${headText(before)}`
  return [
    `OK: position ${position} of the log ${safe(origin)}`,
    `  ${type}, recorded as ${ts} by the crawler’s clock`,
    `  ${bracket}`,
    witnesses.length === 0
      ? '  no witness has signed: these heads have no times but the crawler’s own'
      : `  according to the witnesses ${safe(witnesses.join(', '))}`,
    ...(timestamp === null ? [] : [stampText(timestamp)]),
    `  ${BODIES[body]}${erased === null ? '' : `, erased by event ${erased.position} of ${erased.ts} (${erased.basis})`}`,
    ...(isSimulated(origin) ? ['  a rehearsal: its clock is simulated'] : []),
    '',
  ].join('\n')
}
