import type { CommonFlags } from '../config.ts'
import { formatInstant } from '../kernel/instant.ts'
import type { Recorded } from '../ledger/entry.ts'
import { reasonOf } from '../robots/explain.ts'
import { recordedOf } from '../shell/entries.ts'
import { neighboursOf } from '../shell/exchange.ts'
import { Halt, orHalt } from '../shell/halt.ts'
import { forPrograms, type Verb, verb, withOpened } from './command.ts'
import { describe } from './describe.ts'
import { positionArgument } from './log.ts'
import { document, safe } from './print.ts'

export const showVerb: Verb = (io) =>
  forPrograms(verb('show', 'one event, with its neighbours: decision → request → answer'))
    .argument('<position>', 'the position of the event')
    .addHelpText('after', '\nExample:\n  crawl-ledger show 42')
    .action(async (given: string, flags: CommonFlags & { json?: boolean; jsonl?: boolean }) => {
      const position = positionArgument('show', given, 1)
      await withOpened(io, flags, async ({ ledger }) => {
        const [stored] = await orHalt(ledger.readEntries({ after: position - 1, limit: 1 }))
        if (stored?.position !== position) {
          const head = await orHalt(ledger.head())
          const because = `there is no position ${position}; the ledger ends at ${head.position}`
          throw new Halt({ tag: 'NotFound', because })
        }
        const recorded = recordedOf(stored)
        const neighbours = await neighboursOf(ledger, recorded)
        if (flags.json === true || flags.jsonl === true) {
          const entry: unknown = JSON.parse(stored.entry.toString('utf8'))
          const answer = { position, entry, neighbours: neighbours.map((near) => near.position) }
          return io.out(flags.json === true ? document(answer) : `${JSON.stringify(answer)}\n`)
        }
        await io.out(`${header(recorded)}\n\n${fields(recorded)}\n`)
        if (recorded.event.type === 'RobotsDecided')
          await io.out(`${safe(reasonOf(recorded.event))}\n\n`)
        for (const near of neighbours) {
          const mark = near.position === position ? '→' : ' '
          await io.out(
            `${mark} ${safe(`${near.position}  ${near.event.type}  ${describe(near.event)}`)}\n`,
          )
        }
      })
    })

const header = ({ position, event, ts, stream, version, run }: Recorded): string =>
  safe(`${event.type} at position ${position}, ${formatInstant(ts)}`) +
  `\n${safe(`stream ${stream}, version ${version}, run ${run}`)}`

const fields = ({ event }: Recorded): string =>
  Object.entries(event)
    .filter(([name]) => name !== 'type' && name !== 'v')
    .map(([name, value]) => `  ${name.padEnd(14)} ${safe(shown(name, value))}\n`)
    .join('')

const LONG = 400

const shown = (name: string, value: unknown): string => {
  if (typeof value === 'number' && /(At|Until)$/.test(name)) return new Date(value).toISOString()
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > LONG ? `${text.slice(0, LONG)}… (${text.length} characters)` : text
}
