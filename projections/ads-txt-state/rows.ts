import { type Cells, type Row, rowMaker, type Rows } from '../projection.ts'
import type { AdsTxtState, Good } from './fold.ts'

const columns = [
  'site',
  'state',
  'position',
  'seen_at',
  'since_position',
  'since_at',
  'request',
  'url',
  'status',
  'faults',
  'fault_list',
  'hint',
  'good_state',
  'good_position',
  'good_request',
  'good_at',
  'good_url',
  'commit',
  'reader',
  'records',
  'variables',
  'changed_position',
  'changed_at',
  'reading',
] as const
const rowFrom = rowMaker(columns)

const rowsOf = (state: AdsTxtState): readonly Row[] => {
  const { site, seen, since, changed, faults, hint, good } = state
  if (seen === null) return []
  const row = rowFrom(
    seen.position,
    { site, state: state.state, faults: faults.length, fault_list: faults, hint },
    { seen_at: seen.at, request: seen.request, url: seen.url, status: seen.status },
    since === null ? {} : { since_position: since.position, since_at: since.at },
    changed === null ? {} : { changed_position: changed.position, changed_at: changed.at },
    good === null ? {} : goodCells(good),
  )
  return [row]
}

const goodCells = (good: Good): Cells<typeof columns> => ({
  good_state: good.state,
  good_position: good.position,
  good_request: good.request,
  good_at: good.at,
  good_url: good.url,
  commit: good.commit,
  reader: good.reader,
  records: good.records.length,
  variables: good.variables.length,
  reading: { records: good.records, variables: good.variables },
})

export const adsTxtStateRows: Rows<AdsTxtState> = { columns, rowsOf }
