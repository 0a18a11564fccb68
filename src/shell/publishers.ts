/** PR16: the sites the networks' newest good files name as publishers, each with its seller entries. */
import type { Site } from '../kernel/site.ts'
import { siteOf } from '../kernel/url.ts'
import type { Naming } from '../ledger/events/site-listed.ts'
import { type Concluded } from '../politeness/programme-state.ts'
import { programmeState } from '../politeness/site-state.ts'
import type { Source } from '../programmes/sources.ts'
import { readerLabel } from '../readers/reader.ts'
import { publishersOf } from '../readers/sellers-json/publishers.ts'
import { SELLERS_JSON_READER, readSellersCapture } from '../readers/sellers-json/capture.ts'
import type { CrawlPorts } from './crawl.ts'
import { bodyUnlessErased } from './erasing/erased-bodies.ts'
import type { SiteStore } from './site-store.ts'
import type { Listed } from './visit.ts'

export type ListReader = {
  readonly ports: Pick<CrawlPorts, 'bodies'>
  readonly sites: SiteStore
  readonly policy: { readonly name: string }
}

/**
 * Sites in the order in which the sources name them. A source that failed tonight counts with its last
 * good file: an error says nothing about who is listed (sellers.json 1.0). So does one whose file was
 * erased.
 */
export const publishersOfSources = async (
  reader: ListReader,
  sources: readonly Source[],
): Promise<readonly Listed[]> => {
  const namings = new Map<Site, Naming[]>()
  for (const source of sources) {
    for (const [site, named] of await namedBy(reader, source)) {
      namings.set(site, [...(namings.get(site) ?? []), ...named])
    }
  }
  const label = readerLabel(SELLERS_JSON_READER)
  return [...namings].map(([site, named]) => ({ site, namings: named, reader: label }))
}

const namedBy = async (
  reader: ListReader,
  source: Source,
): Promise<ReadonlyMap<Site, readonly Naming[]>> => {
  const state = await reader.sites.load(siteOf(source.url))
  const answers = programmeState(state, reader.policy.name).answers.get(source.url) ?? []
  for (const answer of answers.toReversed()) {
    const named = await readAnswer(reader, source, answer)
    if (named !== undefined) return named
  }
  return new Map()
}

const readAnswer = async (
  { ports }: ListReader,
  source: Source,
  { status, commit, request, headers, truncated }: Concluded,
): Promise<ReadonlyMap<Site, readonly Naming[]> | undefined> => {
  if (status === null || status < 200 || status > 299) return undefined
  if (commit === null || request === null) return undefined
  const body = await bodyUnlessErased(ports.bodies, commit)
  if (body === undefined) return undefined
  const reading = readSellersCapture({ status, headers, truncated, body })
  if (reading.state !== 'ok') return undefined
  const named = new Map<Site, readonly Naming[]>()
  for (const { site, namings } of publishersOf(reading).publishers) {
    named.set(
      site,
      namings.map((naming) => ({ source: source.id, request, ...naming })),
    )
  }
  return named
}
