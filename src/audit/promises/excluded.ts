import type { Site } from '../../kernel/site.ts'
import { siteOf } from '../../kernel/url.ts'
import { isOf } from '../exchange.ts'
import { type Rule, wrongs } from '../rule.ts'

/** PR15, PK16, RC25: an excluded site is neither asked nor listed, until a person readmits it. */
export const excluded: Rule = {
  promises: ['PR15', 'PK16', 'RC25'],
  looksAt: 'requests to excluded sites, and who lifted an exclusion',
  begin: () => {
    /** The position of the exclusion. */
    const since = new Map<Site, number>()
    return (recorded, { past }) => {
      const { event, position, run } = recorded
      if (event.type === 'SiteExcluded') since.set(event.site, position)
      if (event.type === 'SiteReadmitted') {
        since.delete(event.site)
        return wrongs([
          past.run(run) !== undefined,
          () => `the exclusion of ${event.site} was lifted by a run, not by a person`,
        ])
      }
      if (isOf(recorded, 'SiteListed')) {
        const { site } = recorded.event
        return wrongs([
          since.has(site),
          () => `${site} was listed although it is excluded (position ${since.get(site)})`,
        ])
      }
      if (!isOf(recorded, 'RequestSent')) return undefined
      const { url } = recorded.event
      const excluded = since.get(siteOf(url))
      return wrongs([
        excluded !== undefined,
        () => `${url} was asked although its site is excluded (position ${excluded})`,
      ])
    }
  },
}
