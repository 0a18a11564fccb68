/** Acts about one source of a programme: not to read it, and to read it again (RC23). */
import { Option } from 'commander'
import type { Opened } from '../../compose.ts'
import { siteOf } from '../../kernel/url.ts'
import { clip } from '../../kernel/text.ts'
import type { Source } from '../../programmes/sources.ts'
import { latestSources } from '../../shell/adopt.ts'
import { Halt } from '../../shell/halt.ts'
import type { Verb } from '../command.ts'
import { SHIPPED_NAMES } from '../programme.ts'
import { act, type ActFlags, actor, actVerb } from './record.ts'

type SourceFlags = ActFlags & { readonly programme?: string }

const SOURCE = 'the id of a source, as its source list names it'
const programmeOption = () =>
  new Option('--programme <name>', 'whose source, where several programmes have one of that id')

export const notReadVerb: Verb = (io) =>
  actVerb(
    'not-read',
    'mark a source as not read: it is only looked at, to see whether its no still stands',
    'springfield-permits --by "A. Operator" --reason "403 since 3 November"',
  )
    .argument('<source>', SOURCE)
    .requiredOption('--reason <text>', 'why, for the directory’s readers')
    .addOption(programmeOption())
    .action((id: string, flags: SourceFlags & { readonly reason: string }) =>
      act(io, flags, async (opened) => {
        if (flags.reason.trim() === '') {
          throw new Halt({ tag: 'WrongUse', because: '--reason takes a sentence' })
        }
        const { by } = actor(flags)
        const reason = clip(flags.reason, 1_000)
        return {
          type: 'SourceNotRead',
          v: 1,
          ...(await sourceNamed(opened, id, flags)),
          by,
          reason,
        }
      }),
    )

export const reinstateVerb: Verb = (io) =>
  actVerb(
    'reinstate',
    'read a source again that was marked as not read',
    'springfield-permits --by "A. Operator"',
  )
    .argument('<source>', SOURCE)
    .addOption(programmeOption())
    .action((id: string, flags: SourceFlags) =>
      act(io, flags, async (opened) => {
        const who = actor(flags)
        return { type: 'SourceReinstated', v: 1, ...(await sourceNamed(opened, id, flags)), ...who }
      }),
    )

/** The source of that id in the newest source list of the programme named, or of all that have one. */
const sourceNamed = async (opened: Opened, id: string, { programme }: SourceFlags) => {
  const names = programme === undefined ? SHIPPED_NAMES : [programme]
  const found: { readonly programme: string; readonly source: Source }[] = []
  for (const name of names) {
    const source = (await latestSources(opened.ledger, name)).find((known) => known.id === id)
    if (source !== undefined) found.push({ programme: name, source })
  }
  const [only, ...others] = found
  if (only === undefined) {
    const because = `no source ${id.slice(0, 100)} in the source lists of ${names.join(', ')}`
    throw new Halt({ tag: 'NotFound', because })
  }
  if (others.length > 0) {
    const having = found.map((one) => one.programme).join(' and ')
    const because = `${having} both have a source ${id}: say which with --programme`
    throw new Halt({ tag: 'WrongUse', because })
  }
  return { programme: only.programme, source: id, site: siteOf(only.source.url) }
}
