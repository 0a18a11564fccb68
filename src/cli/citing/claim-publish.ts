import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import type { CommonFlags } from '../../config.ts'
import { projectionNamed } from '../../../projections/index.ts'
import { type AskedBasis, claimOf, publishClaim } from '../../shell/citing/publish-claim.ts'
import { Halt } from '../../shell/halt.ts'
import { actor } from '../acts/record.ts'
import { collect, forPrograms, type Io, verb, withOpened } from '../command.ts'
import { positionArgument } from '../log.ts'
import { beginLog, newRun } from '../night.ts'
import { sealNow } from '../sealing.ts'
import { document, line, safe } from '../print.ts'
import { siteArgument } from '../site-argument.ts'
import { claimPorts } from './claim-ports.ts'

type PublishFlags = CommonFlags & {
  readonly statement: string
  readonly cites: readonly string[]
  readonly by: string
  readonly of?: string
  readonly site?: string
  readonly where?: readonly string[]
  readonly column?: string
  readonly field?: string
  readonly value?: string
  readonly at?: string
  readonly json?: boolean
  readonly jsonl?: boolean
}

const HELP = `
A claim that does not hold when it is published is refused. With --of, what it rests on is recorded too:
a cell of a projection (--site, --column), or a field that a reader takes from what was fetched (--field).

Examples:
  crawl-ledger claim publish --statement "example.org asked crawlers to stay away" --cites 42 --by "A. Reporter"
  crawl-ledger claim publish --statement "example.org had an ads.txt" --cites 42 --by "A. Reporter" --of ads-txt-state --site example.org --column state --value ok
  crawl-ledger claim publish --statement "Its first line names ads.example" --cites 42 --by "A. Reporter" --of ads-txt --field records.0.domain`

export const claimPublishCommand = (io: Io): Command =>
  forPrograms(verb('publish', 'record a statement for ever, with the events it rests on'))
    .requiredOption('--statement <text>', 'what is claimed, in a sentence')
    .requiredOption('--cites <positions...>', 'the positions it rests on; repeatable')
    .requiredOption('--by <name>', 'who publishes it')
    .option('--of <name>', 'a projection or a reader whose answer is claimed')
    .option('--site <site>', 'of a projection: the site of the row')
    .option('--where <column=value>', 'of a projection: which row of the site; repeatable', collect)
    .option('--column <column>', 'of a projection: the cell')
    .option('--at <position>', 'of a projection: as it stood there; the newest if left out')
    .option('--field <path>', 'of a reader: the field, names and numbers joined by dots')
    .option('--value <value>', 'what the ledger must say, else the claim is refused')
    .addHelpText('after', HELP)
    .action(async (flags: PublishFlags) => {
      const { by } = actor(flags)
      const cites = flags.cites.map((given) => positionArgument('--cites', given, 1))
      const basis = basisArgument(flags)
      const { statement } = flags
      const id = randomBytes(6).toString('hex')
      await withOpened(io, flags, async (opened, config) => {
        const claim = await claimOf(claimPorts(opened), { id, statement, by, cites, basis })
        const run = newRun(opened)
        await beginLog(opened, config, run)
        const position = await publishClaim(opened, run, claim)
        await sealNow(io, opened)
        const answer = { position, ...claim }
        if (flags.json === true) return io.out(document(answer))
        if (flags.jsonl === true) return io.out(line(answer))
        await io.out(`${safe(`claim ${id} published at position ${position} by ${by}`)}\n`)
      })
    })

const wrongUse = (because: string): Halt => new Halt({ tag: 'WrongUse', because })

const basisArgument = (flags: PublishFlags): AskedBasis => {
  const { of, site, column, field, value } = flags
  if (of === undefined) {
    if ([site, column, field, value, flags.where, flags.at].some((flag) => flag !== undefined))
      throw wrongUse('--site, --column, --where, --at, --field and --value say more of --of NAME')
    return { kind: 'events' }
  }
  if (projectionNamed(of) === undefined) {
    if (field === undefined || site !== undefined || column !== undefined)
      throw wrongUse(`${of.slice(0, 60)} is no projection; a reader takes --field PATH`)
    return { kind: 'reading', reader: of, path: pathArgument(field), value }
  }
  if (site === undefined || column === undefined || field !== undefined)
    throw wrongUse(`--of ${of} takes --site SITE and --column COLUMN`)
  const where = (flags.where ?? []).map(whereArgument)
  const at = flags.at === undefined ? undefined : positionArgument('--at', flags.at, 1)
  return { kind: 'state', projection: of, site: siteArgument(site), where, column, at, value }
}

/** As long as the event takes. */
const PATH_MAX = 12
const NAME_MAX = 100

const pathArgument = (field: string): readonly string[] => {
  const path = field.split('.')
  if (path.length <= PATH_MAX && path.every(({ length }) => length <= NAME_MAX)) return path
  throw wrongUse(`--field takes at most ${PATH_MAX} names of at most ${NAME_MAX} characters each`)
}

const WHERE_VALUE_MAX = 500

const whereArgument = (given: string): { readonly column: string; readonly value: string } => {
  const cut = given.indexOf('=')
  const [column, value] = [given.slice(0, cut), given.slice(cut + 1)]
  if (cut > 0 && value.length <= WHERE_VALUE_MAX && value.isWellFormed()) return { column, value }
  throw wrongUse(`--where takes COLUMN=VALUE, not ${given.slice(0, 60)}`)
}
