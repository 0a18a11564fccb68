import type { CommonFlags } from '../config.ts'
import { E } from '../kernel/fp.ts'
import { formatInstant, type Instant, parseInstant } from '../kernel/instant.ts'
import { EVENTS, type EventType, isEventType } from '../ledger/event.ts'
import { siteStream, StreamName } from '../ledger/stream.ts'
import { entriesOf, type EntryFilter } from '../shell/entries.ts'
import { Halt } from '../shell/halt.ts'
import { collect, forPrograms, type Verb, verb, withOpened } from './command.ts'
import { describe } from './describe.ts'
import { safe } from './print.ts'
import { siteArgument } from './site-argument.ts'

type LogFlags = CommonFlags & {
  readonly after: string
  readonly stream?: string
  readonly type?: readonly string[]
  readonly site?: string
  readonly since?: string
  readonly until?: string
  readonly json?: boolean
  readonly jsonl?: boolean
}

export const logVerb: Verb = (io) =>
  forPrograms(verb('log', 'events in order'))
    .option('--after <position>', 'only events after this position', '0')
    .option('--stream <name>', 'only this stream, for example site-example.org')
    .option('--type <type>', 'only this type of event; repeatable', collect)
    .option('--site <site>', 'only the stream of this site')
    .option('--since <time>', 'only events at or after this time (UTC unless it says otherwise)')
    .option('--until <time>', 'only events at or before this time')
    .addHelpText(
      'after',
      `
A line of --jsonl is {"position":N,"entry":<the entry>}.

Examples:
  crawl-ledger log --site example.org
  crawl-ledger log --type RequestWithheld --since 2026-11-30 --jsonl`,
    )
    .action(async (flags: LogFlags) => {
      const filter = filterOf(flags)
      await withOpened(io, flags, async ({ ledger }) => {
        const list: unknown[] = []
        for await (const { position, entry, recorded } of entriesOf(ledger, filter)) {
          if (io.stop.aborted) return io.exitWith(5)
          // The entry goes out as the bytes that are stored, not as a second serialisation of them.
          const asLine = `{"position":${position},"entry":${entry.toString('utf8')}}`
          if (flags.jsonl === true) await io.out(`${asLine}\n`)
          else if (flags.json === true) list.push(JSON.parse(asLine))
          else {
            const { ts, event } = recorded
            const text = `${String(position).padStart(8)}  ${formatInstant(ts)}  ${event.type.padEnd(17)}  ${recorded.stream}  ${describe(event)}`
            await io.out(`${safe(text)}\n`)
          }
        }
        if (flags.json === true) await io.out(`${JSON.stringify(list, null, 2)}\n`)
      })
    })

const filterOf = (flags: LogFlags): EntryFilter => {
  const stream = streamOf(flags)
  return {
    after: positionArgument('--after', flags.after, 0),
    ...(flags.type === undefined ? {} : { types: flags.type.map(typeArgument) }),
    ...(stream === undefined ? {} : { stream }),
    ...(flags.since === undefined ? {} : { since: timeArgument('--since', flags.since) }),
    ...(flags.until === undefined ? {} : { until: timeArgument('--until', flags.until) }),
  }
}

const streamOf = ({ stream, site }: LogFlags): StreamName | undefined => {
  if (site !== undefined) return siteStream(siteArgument(site))
  if (stream === undefined) return undefined
  if (StreamName.is(stream)) return stream
  throw new Halt({ tag: 'WrongUse', because: `not a stream name: ${stream.slice(0, 100)}` })
}

const typeArgument = (type: string): EventType => {
  if (isEventType(type)) return type
  const known = EVENTS.map((event) => event.type).join(', ')
  throw new Halt({
    tag: 'WrongUse',
    because: `no event type ${type.slice(0, 60)}; there are ${known}`,
  })
}

export const timeArgument = (flag: string, given: string): Instant => {
  const parsed = parseInstant(flag, given)
  if (E.isRight(parsed)) return parsed.right
  throw new Halt({
    tag: 'WrongUse',
    because: `${flag} takes a time such as 2026-11-30T02:30:00Z or 2026-11-30, not ${given.slice(0, 60)}`,
  })
}

export const positionArgument = (what: string, given: string, least: 0 | 1): number => {
  const position = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN
  if (position >= least) return position
  throw new Halt({
    tag: 'WrongUse',
    because: `${what} takes a position, not ${given.slice(0, 60)}`,
  })
}
