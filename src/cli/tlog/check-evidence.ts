import { folderAt, readText } from '../../compose.ts'
import { E } from '../../kernel/fp.ts'
import { FILE_NAMES } from '../../publish/bundle.ts'
import { checkEvidence, type CheckedHead, type Evidence } from '../../publish/check-evidence.ts'
import { parsePolicy } from '../../publish/policy.ts'
import { Halt, orHalt } from '../../shell/halt.ts'
import { forPrograms, type Verb, verb } from '../command.ts'
import { document, line, safe } from '../print.ts'

type CheckFlags = { policy: string; json?: boolean; jsonl?: boolean }

export const checkEvidenceVerb: Verb = (io) =>
  forPrograms(verb('check-evidence', 'check a bundle that `evidence` wrote; needs no database'))
    .argument('<dir>', 'the directory of the bundle')
    .requiredOption('--policy <file>', 'whose signatures you trust; not the file in the bundle')
    .addHelpText(
      'after',
      `
The policy says which log (and which witnesses) you trust. Take it from somewhere else than the bundle:
whoever changed the bundle could have changed its policy too. Ends with code 3 if the bundle proves nothing.

Example:
  crawl-ledger check-evidence ./evidence-42 --policy policy.txt`,
    )
    .action(async (dir: string, flags: CheckFlags) => {
      const policy = parsePolicy(flags.policy, await readText(flags.policy))
      if (E.isLeft(policy)) throw new Halt(policy.left)
      const checked = checkEvidence(await bundleIn(dir), policy.right)
      if (E.isLeft(checked)) throw new Halt(checked.left)
      if (flags.json === true) return io.out(document(checked.right))
      if (flags.jsonl === true) return io.out(line(checked.right))
      await io.out(shown(checked.right))
    })

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

const shown = (found: Evidence): string => {
  const { origin, position, type, ts, after, before, witnesses, body, erased } = found
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
    `  ${BODIES[body]}${erased === null ? '' : `, erased by event ${erased.position} of ${erased.ts} (${erased.basis})`}`,
    ...(origin.startsWith('simulated.invalid/') ? ['  a rehearsal: its clock is simulated'] : []),
    '',
  ].join('\n')
}
