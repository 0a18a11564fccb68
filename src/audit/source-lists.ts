import type { Digest } from '../kernel/digest.ts'
import type { Site } from '../kernel/site.ts'
import { type HttpUrl, siteOf } from '../kernel/url.ts'
import type { EventOf } from '../ledger/event.ts'

export type SourceList = {
  /** A source may have several pages. */
  readonly byId: ReadonlyMap<string, ReadonlySet<HttpUrl>>
  readonly urls: ReadonlySet<HttpUrl>
  readonly sites: ReadonlySet<Site>
}

type List = {
  readonly byId: Map<string, Set<HttpUrl>>
  readonly urls: Set<HttpUrl>
  readonly sites: Set<Site>
}

/** The lists that programmes adopted, by their digest: the newest few of each. */
export type SourceLists = {
  readonly take: (event: EventOf<'SourceListAdopted'>) => void
  readonly get: (programme: string, digest: Digest) => SourceList | undefined
}

/** Of each programme: lists of runs that may still be going on. */
const LISTS_MAX = 8

export const newSourceLists = (): SourceLists => {
  /** By programme, the newest last. */
  const byProgramme = new Map<string, Map<Digest, List>>()
  return {
    take: ({ programme, digest, part, sources }) => {
      const lists = byProgramme.get(programme) ?? new Map<Digest, List>()
      byProgramme.set(programme, lists)
      const begun = part === 1 ? undefined : lists.get(digest)
      const list: List = begun ?? { byId: new Map(), urls: new Set(), sites: new Set() }
      for (const { id, url } of sources) {
        list.byId.set(id, (list.byId.get(id) ?? new Set<HttpUrl>()).add(url))
        list.urls.add(url)
        list.sites.add(siteOf(url))
      }
      lists.delete(digest)
      lists.set(digest, list)
      const oldest = lists.keys().next()
      if (lists.size > LISTS_MAX && oldest.done !== true) lists.delete(oldest.value)
    },
    get: (programme, digest) => byProgramme.get(programme)?.get(digest),
  }
}
