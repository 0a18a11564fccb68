import type { Instant } from '../../kernel/instant.ts'
import type { Recorded } from '../../ledger/entry.ts'
import type { Policy } from '../../programmes/policy.ts'
import { isOf } from '../exchange.ts'
import type { Past } from '../past.ts'
import { type Finding, type Rule, wrongs } from '../rule.ts'

/** A source that a person marked as not read, and the looks at it since then. */
type Mark = { readonly since: Instant; readonly looks: number; readonly lastNight: string | null }

const DAY_MS = 86_400_000

/** Whether a look may be begun, or go on, in this night. */
const isDue = ({ looks, lastNight }: Mark, night: string, { notRead }: Policy): boolean => {
  if (notRead === null) return false
  if (lastNight === null || lastNight === night) return true
  const days = (Date.parse(night) - Date.parse(lastNight)) / DAY_MS
  return days >= (looks < notRead.nights ? 1 : notRead.thenEveryDays)
}

type Of = { readonly mark: Mark | undefined; readonly policy: Policy; readonly past: Past }

const judgeSent = (
  { event, run }: Recorded<'RequestSent'>,
  { mark, policy, past }: Of,
): Finding => {
  const { purpose, url, source, night } = event
  if (mark === undefined)
    return purpose === 'probe'
      ? [`${url} was looked at, and nobody had marked ${source}`]
      : undefined
  const due = isDue(mark, night, policy)
  if (purpose === 'probe')
    return due ? [] : [`${url} was looked at in the night ${night}, when no look was due`]
  if (purpose !== 'robots') return [`${url} was read, and a person marked ${source} as not read`]
  // A visit that had begun when the mark was made is not held against anybody.
  const began = past.run(run)?.startedAt ?? mark.since
  return wrongs([
    !due && mark.since < began,
    () => `${url} was asked for ${source}, which is not read, when no look was due`,
  ])
}

/** RC23: a source not read is only looked at, on so many nights and then so seldom. */
export const looks: Rule = {
  promises: ['RC23'],
  looksAt: 'requests for sources that a person marked as not read, and who marked them',
  begin: () => {
    const marks = new Map<string, Mark>()
    return (recorded, { policy, past }) => {
      if (isOf(recorded, 'SourceNotRead', 'SourceReinstated')) {
        const { type, programme, source } = recorded.event
        const key = `${programme} ${source}`
        if (type === 'SourceReinstated') marks.delete(key)
        else marks.set(key, { since: recorded.ts, looks: 0, lastNight: null })
        return wrongs([
          past.run(recorded.run) !== undefined,
          () => `${type} of ${source} was done by a run, not by a person`,
        ])
      }
      if (policy === undefined) return undefined
      if (isOf(recorded, 'ResponseReceived')) {
        const { purpose, body, url } = recorded.event
        if (purpose !== 'probe') return undefined
        return wrongs([body.kept, () => `the body of ${url} was kept, which was only looked at`])
      }
      if (!isOf(recorded, 'RequestSent') || recorded.event.source === null) return undefined
      const { programme, source, purpose, night } = recorded.event
      const key = `${programme} ${source}`
      const mark = marks.get(key)
      const found = judgeSent(recorded, { mark, policy, past })
      if (purpose === 'probe' && mark !== undefined && mark.lastNight !== night)
        marks.set(key, { ...mark, looks: mark.looks + 1, lastNight: night })
      return found
    }
  },
}
