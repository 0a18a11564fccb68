import type { Site } from '../kernel/site.ts'
import type { Ledger } from '../ledger/port.ts'
import { siteStream } from '../ledger/stream.ts'
import { foldSite, type SiteState, unknownSite } from '../politeness/site-state.ts'
import { orHalt } from './halt.ts'

/** States of sites, folded from their streams. Each load reads only what is new since the last. */
export type SiteStore = { readonly load: (site: Site) => Promise<SiteState> }

const CACHED_SITES_MAX = 20_000
const PAGE = 1_000

export const siteStore = (ledger: Ledger): SiteStore => {
  const known = new Map<Site, SiteState>()
  const remember = (state: SiteState): SiteState => {
    // Re-inserting keeps the map in order of use; the one used longest ago is dropped.
    known.delete(state.site)
    known.set(state.site, state)
    const oldest = known.keys().next()
    if (known.size > CACHED_SITES_MAX && oldest.done !== true) known.delete(oldest.value)
    return state
  }
  return {
    load: async (site) => {
      let state = known.get(site) ?? unknownSite(site)
      for (;;) {
        const page = await orHalt(ledger.readStream(siteStream(site), state.version))
        state = page.reduce(foldSite, state)
        if (page.length < PAGE) return remember(state)
      }
    },
  }
}
