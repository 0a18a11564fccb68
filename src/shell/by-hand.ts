/** One page that a person asks for, outside the night's crawl, by the programme's own rules (PK7, RC28). */
import type { EventOf } from '../ledger/event.ts'
import type { Recorded } from '../ledger/entry.ts'
import { type HttpUrl, siteOf } from '../kernel/url.ts'
import type { Source } from '../programmes/sources.ts'
import { adoptProgramme, adoptSources } from './adopt.ts'
import type { CrawlPorts } from './crawl.ts'
import { fetchFile } from './fetch-file.ts'
import { Halt, orHalt } from './halt.ts'
import { endRun, startRun } from './job.ts'
import { recover } from './recover.ts'
import { beginCrawl, type NightRun } from './run.ts'

export type HandRun = Omit<NightRun, 'onlySites' | 'onlySources' | 'progress'> & {
  readonly url: HttpUrl
}

/** What it came to: the page's conclusion or the reason why it was not asked for; null: interrupted. */
export type HandReport = EventOf<'RunEnded'> & {
  readonly run: string
  readonly outcome: Recorded<'FetchConcluded' | 'RequestWithheld'> | null
}

export const fetchByHand = async (ports: CrawlPorts, asked: HandRun): Promise<HandReport> => {
  const { policy, run, url } = asked
  if (policy.fetch.page === undefined) {
    throw new Halt({ tag: 'WrongUse', because: `${policy.name} reads no single pages` })
  }
  const adopted = await adoptProgramme(ports.ledger, run, policy.name, asked.policyText)
  const sources = await adoptSources(ports.ledger, run, policy.name, asked.sources)
  const crawl = beginCrawl(ports, { ...asked, kind: 'hand', adopted })
  await recover(crawl)
  await startRun(crawl, { ...asked.software, sources, job: null, also: asked.also })
  const subject = siteOf(url)
  crawl.tally.sites = 1
  const source = sourceOf(asked.sources, url)
  await fetchFile(crawl, { subject, source, purpose: 'page', target: url })
  const ended = await endRun(crawl)
  return { ...ended, run, outcome: await outcomeOf(ports, run, adopted, url) }
}

const sourceOf = (sources: readonly Source[], url: HttpUrl): string | null =>
  sources.find((source) => source.url === url)?.id ?? null

const PAGE = 1_000

/** The newest word of the run on the page. */
const outcomeOf = async (
  { ledger }: CrawlPorts,
  run: string,
  from: number,
  url: HttpUrl,
): Promise<HandReport['outcome']> => {
  let after = from
  let outcome: HandReport['outcome'] = null
  for (;;) {
    const types = ['FetchConcluded', 'RequestWithheld'] as const
    const page = await orHalt(ledger.readAll({ after, limit: PAGE, types }))
    for (const recorded of page) {
      const { event } = recorded
      if (recorded.run !== run) continue
      if (event.type === 'FetchConcluded' && event.target === url) outcome = { ...recorded, event }
      if (event.type === 'RequestWithheld') outcome = { ...recorded, event }
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return outcome
    after = last.position
  }
}
