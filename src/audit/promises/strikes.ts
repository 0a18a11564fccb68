import type { Position } from '../../kernel/position.ts'
import { siteOf } from '../../kernel/url.ts'
import type { Recorded } from '../../ledger/entry.ts'
import type { Policy } from '../../programmes/policy.ts'
import { CLOSING, type ClosingType, isOf } from '../exchange.ts'
import { type Finding, type Rule, wrongs } from '../rule.ts'

type Row = {
  /** The failures in a row that count, oldest first. */
  readonly failures: readonly Position[]
  readonly stopped: boolean
}
const noRow: Row = { failures: [], stopped: false }

/** What an end says about reaching the site; undefined: nothing. */
const reached = (
  { event }: Recorded<ClosingType>,
  { strikes }: Policy,
): 'yes' | 'no' | undefined => {
  const counts = (kind: Policy['strikes']['counts'][number]): 'yes' | 'no' =>
    strikes.counts.includes(kind) ? 'no' : 'yes'
  switch (event.type) {
    case 'ResponseReceived':
      return event.status < 500 ? 'yes' : counts('server-error')
    case 'RequestFailed':
      // That we ourselves broke off, or would not connect, is no failure of the site.
      return event.reason === 'interrupted' || event.reason === 'address-refused'
        ? undefined
        : counts('network')
    case 'RequestAbandoned':
      return undefined
  }
}

const after = (row: Row, closing: Recorded<ClosingType>, policy: Policy): Row => {
  const end = reached(closing, policy)
  if (end === undefined) return row
  if (end === 'yes') return { ...row, failures: [] }
  const { limit } = policy.strikes
  if (limit === null) return row
  const failures = [...row.failures, closing.event.request].slice(-limit)
  return { failures, stopped: row.stopped || failures.length >= limit }
}

const stop = (
  { event }: Recorded<'SiteStopped'>,
  { failures }: Row,
  { strikes }: Policy,
): Finding =>
  wrongs([
    strikes.limit === null ||
      failures.length < strikes.limit ||
      event.requests.some((one) => !failures.includes(one)),
    () =>
      `${event.site} was stopped for ${event.strikes} failures in a row, and has ${failures.length} of ${strikes.limit}`,
  ])

/** PR7: after so many failures in a row nothing is asked until a person resumes the site. */
export const strikes: Rule = {
  promises: ['PR7'],
  looksAt: 'requests to a site after its failures in a row',
  begin: () => {
    const rows = new Map<string, Row>()
    const keep = (key: string, row: Row): void => {
      if (row.failures.length === 0 && !row.stopped) rows.delete(key)
      else rows.set(key, row)
    }
    return (recorded, { policy }) => {
      if (isOf(recorded, 'SiteResumed')) {
        for (const key of rows.keys()) if (key.endsWith(` ${recorded.event.site}`)) rows.delete(key)
      }
      if (policy === undefined) return undefined
      if (isOf(recorded, ...CLOSING)) {
        const key = `${policy.name} ${siteOf(recorded.event.url)}`
        keep(key, after(rows.get(key) ?? noRow, recorded, policy))
      }
      if (isOf(recorded, 'SiteStopped')) {
        const key = `${policy.name} ${recorded.event.site}`
        const row = rows.get(key) ?? noRow
        keep(key, { ...row, stopped: true })
        return stop(recorded, row, policy)
      }
      if (!isOf(recorded, 'RequestSent')) return undefined
      const { url } = recorded.event
      const row = rows.get(`${policy.name} ${siteOf(url)}`)
      return wrongs([
        row?.stopped === true,
        () =>
          `${url} was asked after ${row?.failures.length} failures in a row, and nobody had resumed the site`,
      ])
    }
  },
}
