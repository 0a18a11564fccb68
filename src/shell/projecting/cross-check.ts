/**
 * Every site's ads.txt held against the sellers.json files of the advertising systems it names: the
 * last good capture of the one against the last good capture of the other, both cited.
 *
 * Two tables are read beside each other, so no fold has to hold two sites at once. A system whose
 * file was never asked for, or never answered well, is not judged: there is no second capture.
 */
import type { Cited, Finding } from '../../../projections/finding.ts'
import type { Row } from '../../../projections/projection.ts'
import { accountsOf, partsOf } from '../../../projections/seller-findings/conclude.ts'
import { siteOfTarget } from '../../../projections/seller-findings/fold.ts'
import { integer, nullable, oneOf, parse, t } from '../../kernel/codec.ts'
import { E } from '../../kernel/fp.ts'
import { siteOfHost } from '../../kernel/site.ts'
import {
  CROSS_FAULTS,
  type CrossAsk,
  type CrossReading,
  readCross,
} from '../../readers/cross/read.ts'
import type { CrossSources } from './cross-sources.ts'

/** The rules of `readCross`; a changed rule is a new version. */
export const CROSS_METHOD = 'cross@1'

export type CrossFinding = Omit<Finding, 'kind' | 'programme' | 'night'> & {
  readonly kind: 'cross'
  readonly verdict: CrossReading['verdict']
  readonly faults: CrossReading['faults']
}

type Listed = {
  readonly target: string
  readonly cited: Cited
  readonly accounts: ReadonlyMap<string, readonly string[]>
}

const CitedShape = t.type({
  position: integer(1),
  at: t.string,
  request: nullable(integer(1)),
  commit: nullable(t.string),
})
const StateShape = t.type({
  target: t.string,
  last: nullable(t.type({ cited: CitedShape, entries: nullable(t.array(t.string)) })),
})

/** The lists by the site of their system. */
const listsOf = async (sellers: CrossSources['sellers']): Promise<ReadonlyMap<string, Listed>> => {
  const lists = new Map<string, Listed>()
  for await (const one of sellers) {
    const state = parse('state', StateShape, one)
    if (E.isLeft(state)) continue
    const { target, last } = state.right
    if (last === null || last.entries === null) continue
    lists.set(siteOfTarget(target), {
      target,
      cited: last.cited,
      accounts: accountsOf(last.entries),
    })
  }
  return lists
}

const Relation = oneOf('DIRECT', 'RESELLER')
const ReadingShape = t.type({
  records: t.array(t.type({ domain: t.string, account: t.string, rel: Relation })),
  variables: t.array(
    t.intersection([
      t.type({ name: t.string, value: t.string }),
      t.partial({ country: t.string, ignored: t.boolean }),
    ]),
  ),
})
type Reading = t.TypeOf<typeof ReadingShape>

export async function* crossCheck({ sellers, files }: CrossSources): AsyncGenerator<CrossFinding> {
  const lists = await listsOf(sellers)
  for await (const page of files) for (const row of page) yield* findingsOfSite(row, lists)
}

function* findingsOfSite(row: Row, lists: ReadonlyMap<string, Listed>): Generator<CrossFinding> {
  const cited = parse('row', CitedShape, {
    position: row['good_position'],
    at: row['good_at'],
    request: row['good_request'],
    commit: row['commit'],
  })
  const reading = parse('reading', ReadingShape, row['reading'])
  const site = row['site']
  // Without a good file there is nothing to hold against anything.
  if (E.isLeft(cited) || E.isLeft(reading) || typeof site !== 'string') return
  for (const record of reading.right.records) {
    const listed = lists.get(siteOfHost(record.domain))
    if (listed === undefined) continue
    const answer = readCross({
      site: partiesOf(site, reading.right),
      record,
      sellers: sellersOf(listed, record.account),
    })
    if (answer.faults.length > 0)
      yield findingOf({ site, record, listed, cited: cited.right, answer })
  }
}

/** Who may sell for the site by its own file (ads.txt 1.1 §3.5). */
const partiesOf = (domain: string, { variables }: Reading): CrossAsk['site'] => {
  const declared = variables.filter(({ ignored }) => ignored !== true)
  const owner = declared.find(({ name }) => name === 'OWNERDOMAIN')?.value
  const managers = declared
    .filter(({ name }) => name === 'MANAGERDOMAIN')
    .map(({ value, country }) =>
      country === undefined ? { domain: value } : { domain: value, country },
    )
  return { domain, managers, ...(owner === undefined ? {} : { owner }) }
}

const sellersOf = ({ accounts }: Listed, id: string): NonNullable<CrossAsk['sellers']> =>
  (accounts.get(id) ?? []).map((said) => {
    const { type, domain, confidential } = partsOf(said)
    return {
      id,
      confidential,
      ...(isType(type) ? { type } : {}),
      ...(domain === '' ? {} : { domain }),
    }
  })

const isType = oneOf('PUBLISHER', 'INTERMEDIARY', 'BOTH').is

type Crossed = {
  readonly site: string
  readonly record: Reading['records'][number]
  readonly listed: Listed
  readonly cited: Cited
  readonly answer: CrossReading
}

const findingOf = ({ site, record, listed, cited, answer }: Crossed): CrossFinding => {
  const { domain, account, rel } = record
  const { verdict, faults } = answer
  const meanings = faults.map((code) => CROSS_FAULTS[code].says).join(' ')
  return {
    kind: 'cross',
    site,
    about: `${domain}|${account}|${rel}`,
    concerns: siteOfTarget(listed.target),
    before: listed.cited,
    after: cited,
    method: CROSS_METHOD,
    verdict,
    faults,
    change: `${verdict}: ${faults.join(' ')}`,
    says: `ads.txt of ${site}, record ${domain}, ${account}, ${rel}: ${meanings}`,
  }
}
