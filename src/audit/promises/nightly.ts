import { type HttpUrl, originOf, robotsUrlOf } from '../../kernel/url.ts'
import type { Recorded } from '../../ledger/entry.ts'
import { isOf } from '../exchange.ts'
import type { SourceList } from '../source-lists.ts'
import { type Finding, type Rule } from '../rule.ts'

type Tonight = {
  readonly night: string
  readonly list: SourceList | undefined
  /** What was asked, or withheld with a reason. */
  readonly told: Set<HttpUrl>
}

const DAY_MS = 86_400_000

const missed = ({ night, list, told }: Tonight): readonly string[] =>
  [...(list?.urls ?? [])]
    .filter((url) => !told.has(url) && !told.has(robotsUrlOf(originOf(url))))
    .map((url) => `in the night ${night} ${url} was neither asked nor withheld`)

/** That robots.txt was asked tells nothing of the page; that it was withheld tells why. */
const toldBy = (
  recorded: Recorded,
): { readonly url: HttpUrl; readonly night: string } | undefined => {
  if (isOf(recorded, 'RequestWithheld')) return recorded.event
  if (!isOf(recorded, 'RequestSent', 'FetchConcluded')) return undefined
  const { purpose, target, night } = recorded.event
  // A page that robots.txt redirected to has been asked under that name, and is concluded by it.
  return purpose === 'robots' ? undefined : { url: target, night }
}

const nightsBetween = (before: string, now: string): readonly string[] => {
  const days = Math.round((Date.parse(now) - Date.parse(before)) / DAY_MS)
  return days > 1 ? [`no night was run between ${before} and ${now}`] : []
}

/** RC1: in each night each source is opened, or the ledger says why it was not. */
export const nightly: Rule = {
  promises: ['RC1'],
  looksAt:
    'at the start of each night, what became of every source of the list in the night before',
  begin: () => {
    const nights = new Map<string, Tonight>()
    /** What was asked by hand before the night's own run began: it is not asked once more. */
    const early = new Map<string, Pick<Tonight, 'night' | 'told'>>()
    const begin = (started: Recorded<'RunStarted'>, list: SourceList | undefined): Finding => {
      const { programme, night } = started.event
      const known = nights.get(programme)
      const before = early.get(programme)
      if (known?.night === night) {
        nights.set(programme, { ...known, list })
        return undefined
      }
      nights.set(programme, {
        night,
        list,
        told: new Set(before?.night === night ? before.told : []),
      })
      if (known === undefined) return undefined
      return [...missed(known), ...nightsBetween(known.night, night)]
    }
    return (recorded, { policy, past }) => {
      // Where a file rests for some hours the same night may owe it nothing.
      if (policy === undefined || policy.once.hoursAtLeast > 0) return undefined
      if (isOf(recorded, 'RunStarted') && recorded.event.kind === 'night') {
        const { programme, sources } = recorded.event
        return begin(recorded, past.list(programme, sources))
      }
      const told = toldBy(recorded)
      if (told === undefined) return undefined
      const { night, url } = told
      const held = [nights, early]
        .map((all) => all.get(policy.name))
        .find((one) => one?.night === night)
      if (held === undefined) early.set(policy.name, { night, told: new Set([url]) })
      else held.told.add(url)
      return undefined
    }
  },
}
