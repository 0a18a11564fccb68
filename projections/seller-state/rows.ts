import { type Cells, type Row, rowMaker, type Rows } from '../projection.ts'
import { type Good, type Seen, type SellerState, siteOfTarget } from './fold.ts'

const columns = [
  'target',
  'site',
  'source',
  'position',
  'state',
  'since_position',
  'since_at',
  'seen_at',
  'request',
  'url',
  'status',
  'fault_list',
  'good_position',
  'good_request',
  'good_at',
  'commit',
  'reader',
  'sellers',
  'publishers',
  'intermediaries',
  'both_types',
  'confidential',
  'with_domain',
] as const
const rowFrom = rowMaker(columns)

const rowsOf = (state: SellerState): readonly Row[] => {
  const { target, source, position, since, seen, good } = state
  if (position === 0) return []
  const row = rowFrom(
    position,
    { target, site: siteOfTarget(target), source, state: state.state, fault_list: state.faults },
    since === null ? {} : { since_position: since.position, since_at: since.at },
    seen === null ? {} : seenCells(seen),
    good === null ? {} : goodCells(good),
  )
  return [row]
}

const seenCells = ({ at, request, url, status }: Seen): Cells<typeof columns> => ({
  seen_at: at,
  request,
  url,
  status,
})

const goodCells = (good: Good): Cells<typeof columns> => ({
  good_position: good.position,
  good_request: good.request,
  good_at: good.at,
  commit: good.commit,
  reader: good.reader,
  sellers: good.counts.sellers,
  publishers: good.counts.publishers,
  intermediaries: good.counts.intermediaries,
  both_types: good.counts.both,
  confidential: good.counts.confidential,
  with_domain: good.counts.withDomain,
})

export const sellerStateRows: Rows<SellerState> = { columns, rowsOf }
