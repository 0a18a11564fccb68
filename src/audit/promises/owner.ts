import type { Site } from '../../kernel/site.ts'
import { siteOf } from '../../kernel/url.ts'
import type { LedgerEvent } from '../../ledger/event.ts'
import { patternMatches } from '../../robots/pattern.ts'
import { isOf } from '../exchange.ts'
import { type Rule, wrongs } from '../rule.ts'

type Wish = { readonly seconds: number; readonly paths: ReadonlySet<string> }
const noWish: Wish = { seconds: 0, paths: new Set() }

const afterAct = (wish: Wish, event: LedgerEvent): Wish => {
  const paths = new Set(wish.paths)
  if (event.type === 'SitePaced') return { ...wish, seconds: event.seconds }
  if (event.type === 'PathExcluded') return { ...wish, paths: paths.add(event.path) }
  if (event.type === 'PathReadmitted') paths.delete(event.path)
  return { ...wish, paths }
}

/** PK16, RC25: a slower pace holds at once, and a path left alone is asked by no programme. */
export const ownersWish: Rule = {
  promises: ['PK16', 'RC25'],
  looksAt: 'requests to sites whose owner asked for a slower pace or for paths left alone',
  begin: () => {
    const wishes = new Map<Site, Wish>()
    return (recorded, { past }) => {
      const { event, run } = recorded
      if (isOf(recorded, 'SitePaced', 'PathExcluded', 'PathReadmitted')) {
        const { site, type } = recorded.event
        wishes.set(site, afterAct(wishes.get(site) ?? noWish, event))
        return wrongs([
          past.run(run) !== undefined,
          () => `${type} of ${site} was done by a run, not by a person`,
        ])
      }
      if (!isOf(recorded, 'RequestSent')) return undefined
      const { url } = recorded.event
      const wish = wishes.get(siteOf(url))
      if (wish === undefined) return undefined
      const endedAt = past.lastWith(siteOf(url))?.closed?.endedAt
      const waited = endedAt === undefined ? Infinity : recorded.ts - endedAt
      const left = [...wish.paths].find((path) => patternMatches(path, url))
      return wrongs(
        [
          waited < wish.seconds * 1_000,
          () =>
            `${url} was asked after ${waited} ms, and a person gave it a pace of ${wish.seconds} s`,
        ],
        [left !== undefined, () => `${url} was asked, and a person left ${left} alone`],
      )
    }
  },
}
