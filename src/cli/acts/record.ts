/** A person's recorded act: who and when stand in the ledger for ever. */
import type { Opened } from '../../compose.ts'
import type { CommonFlags, Config } from '../../config.ts'
import { clip } from '../../kernel/text.ts'
import type { EventOf, SiteAct } from '../../ledger/event.ts'
import { appendFact } from '../../shell/append.ts'
import { Halt } from '../../shell/halt.ts'
import { siteStore } from '../../shell/site-store.ts'
import { type Io, verb, withOpened } from '../command.ts'
import { beginLog, newRun } from '../night.ts'
import { sealNow } from '../sealing.ts'

export type ActFlags = CommonFlags & { readonly by: string; readonly note?: string }

export type Act = SiteAct | EventOf<'SourceNotRead' | 'SourceReinstated'>

/** A verb by which a person does something: `--by` says who. */
export const actVerb = (name: string, summary: string, example: string) =>
  verb(name, summary)
    .requiredOption('--by <name>', 'who does this')
    .option('--note <text>', 'why, for those who read the ledger later')
    .addHelpText('after', `\nExample:\n  crawl-ledger ${name} ${example}`)

/** Who did it and why, as the events have it. */
export const actor = ({
  by,
  note,
}: ActFlags): { readonly by: string; readonly note: string | null } => {
  if (by.trim() === '') throw new Halt({ tag: 'WrongUse', because: '--by takes a name' })
  return { by: clip(by, 200), note: note === undefined ? null : clip(note, 1_000) }
}

/** Writes the act into the site's stream. It holds from the next decision about the site on. */
export const recordAct = async (
  io: Io,
  opened: Opened,
  config: Config,
  act: Act,
): Promise<void> => {
  const run = newRun(opened)
  await beginLog(opened, config, run)
  const writer = { run, ports: opened, sites: siteStore(opened.ledger) }
  await appendFact(writer, act.site, () => [act])
  await sealNow(io, opened)
}

/** Records what `actOf` makes of the opened ledger, and says so. */
export const act = async (
  io: Io,
  flags: ActFlags,
  actOf: (opened: Opened) => Act | Promise<Act>,
): Promise<void> =>
  withOpened(io, flags, async (opened, config) => {
    const event = await actOf(opened)
    await recordAct(io, opened, config, event)
    await io.out(`${event.type} recorded for ${event.site} by ${event.by}\n`)
  })
