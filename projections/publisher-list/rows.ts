import { type Row, rowMaker, type Rows } from '../projection.ts'
import type { PublisherListState } from './fold.ts'

const columns = [
  'programme',
  'site',
  'position',
  'namings',
  'named_by',
  'reader',
  'first_position',
  'first_at',
  'last_at',
] as const
const rowFrom = rowMaker(columns)

const rowsOf = (state: PublisherListState): readonly Row[] => {
  const { programme, site, namings, namedBy, reader, first, last } = state
  if (first === null || last === null) return []
  const row = rowFrom(
    last.position,
    { programme, site, namings, named_by: namedBy, reader },
    { first_position: first.position, first_at: first.at, last_at: last.at },
  )
  return [row]
}

export const publisherListRows: Rows<PublisherListState> = { columns, rowsOf }
