import type { Position } from '../../kernel/position.ts'
import { type Site, siteOfDomain } from '../../kernel/site.ts'
import type { HttpUrl } from '../../kernel/url.ts'
import type { Recorded } from '../../ledger/entry.ts'
import { isOf } from '../exchange.ts'
import type { Past } from '../past.ts'
import { type Finding, type Rule, type Scene, wrongs } from '../rule.ts'

/** A list is made from a source's newest good files; of each so many are remembered. */
const FILES_MAX = 8

type Files = Map<HttpUrl, readonly Position[]>

/** A network's file that was answered and kept. */
const goodFile = ({ event }: Recorded<'FetchConcluded'>, past: Past): Position | undefined => {
  const { purpose, outcome, status, request, commit } = event
  if (purpose !== 'sellers-json' || outcome !== 'answered' || request === null) return undefined
  const closed = past.exchange(request)?.closed
  const good = status !== null && status >= 200 && status <= 299
  return good && commit !== null && closed?.commit === commit ? request : undefined
}

const listed = ({ event, run }: Recorded<'SiteListed'>, { past }: Scene, files: Files): Finding => {
  const sources = past.sources(run)
  return event.namedBy.flatMap(({ source, request, domain, sellerId }) => {
    const urls = [...(sources?.byId.get(source) ?? [])]
    const known = urls.some((url) => (files.get(url) ?? []).includes(request))
    return wrongs(
      [
        !known,
        () =>
          `${event.site} is listed for a file of ${source} (request ${request}) that the ledger does not have`,
      ],
      [
        siteOfDomain(domain) !== event.site,
        () =>
          `${event.site} is listed for the entry ${sellerId} of ${source}, which names ${domain}`,
      ],
    )
  })
}

/** PR16: every site that is asked was listed, and every listing names good files of adopted sources. */
export const traced: Rule = {
  promises: ['PR16'],
  looksAt:
    'the listing behind every request, and the source, file and domain of every entry behind a listing',
  begin: () => {
    const files: Files = new Map()
    const sites = new Map<string, Set<Site>>()
    return (recorded, scene) => {
      if (isOf(recorded, 'FetchConcluded')) {
        const file = goodFile(recorded, scene.past)
        const { target } = recorded.event
        if (file !== undefined)
          files.set(target, [...(files.get(target) ?? []), file].slice(-FILES_MAX))
        return undefined
      }
      if (isOf(recorded, 'SiteListed')) {
        const { programme, site } = recorded.event
        sites.set(programme, (sites.get(programme) ?? new Set<Site>()).add(site))
        return listed(recorded, scene, files)
      }
      if (!isOf(recorded, 'RequestSent')) return undefined
      const { programme, subject, url } = recorded.event
      const known =
        sites.get(programme)?.has(subject) === true ||
        scene.past.sources(recorded.run)?.sites.has(subject) === true
      return wrongs([
        !known,
        () => `${url} was asked for ${subject}, which no seller entry had named`,
      ])
    }
  },
}
