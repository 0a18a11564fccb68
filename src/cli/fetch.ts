import { fetcherOf } from '../compose.ts'
import type { CommonFlags } from '../config.ts'
import { E } from '../kernel/fp.ts'
import { type HttpUrl, parseHttpUrl } from '../kernel/url.ts'
import { latestSources } from '../shell/adopt.ts'
import { fetchByHand, type HandReport } from '../shell/by-hand.ts'
import { Halt } from '../shell/halt.ts'
import { collect, crawling, forPrograms, type Io, type Verb, verb, withOpened } from './command.ts'
import { describe } from './describe.ts'
import { beginLogFor, newRun, softwareOf } from './night.ts'
import { sealedWhile } from './sealing.ts'
import { document, safe } from './print.ts'
import { alsoOf, loadProgramme, PROGRAMME_ARGUMENT } from './programme.ts'

const NOT_READ = 1
const INTERRUPTED = 5

type FetchFlags = CommonFlags & { readonly also?: readonly string[]; readonly json?: boolean }

export const fetchVerb: Verb = (io) =>
  forPrograms(crawling(verb('fetch', 'fetch one page by hand, by the programme’s own rules')))
    .argument('<programme>', PROGRAMME_ARGUMENT)
    .argument('<url>', 'the page')
    .option('--also <site>', 'one more website allowed for this run alone; repeatable', collect)
    .addHelpText(
      'after',
      `
Examples:
  crawl-ledger fetch pta-karo https://shop.example/phones/one
  crawl-ledger fetch pta-karo https://web.archive.org/web/2026/https://shop.example/ --also web.archive.org`,
    )
    .action(async (name: string, address: string, flags: FetchFlags) => {
      const programme = await loadProgramme(name)
      const url = urlArgument(address)
      await withOpened(io, flags, async (opened, config) => {
        const run = newRun(opened)
        await beginLogFor(opened, config, run)
        const fetch = await fetcherOf(config)
        const sources = await latestSources(opened.ledger, programme.policy.name)
        const report = await sealedWhile(io, opened, (stop) =>
          fetchByHand(
            { ...opened, fetch },
            {
              run,
              ...programme,
              url,
              sources,
              also: alsoOf(programme.policy, flags.also),
              software: softwareOf(opened),
              stop,
            },
          ),
        )
        await printHandReport(io, report, flags.json === true)
      })
    })

const urlArgument = (address: string): HttpUrl => {
  const url = parseHttpUrl(address)
  if (E.isRight(url)) return url.right
  const because = `not an http(s) address (${url.left}): ${address.slice(0, 100)}`
  throw new Halt({ tag: 'WrongUse', because })
}

const printHandReport = async (io: Io, report: HandReport, asJson: boolean): Promise<void> => {
  const { outcome } = report
  const answered = outcome?.event.type === 'FetchConcluded' && outcome.event.outcome === 'answered'
  if (report.status === 'interrupted') io.exitWith(INTERRUPTED)
  else if (!answered) io.exitWith(NOT_READ)
  if (asJson) {
    const { event = null, position = null } = outcome ?? {}
    return io.out(document({ ...report, outcome: event === null ? null : { position, event } }))
  }
  const what =
    outcome === null
      ? 'interrupted'
      : `${outcome.event.type} at position ${outcome.position}: ${safe(describe(outcome.event))}`
  await io.out(`${what}\n  requests ${report.requests} · run ${report.run}\n`)
}
