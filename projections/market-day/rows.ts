import { type Row, rowMaker, type Rows } from '../projection.ts'
import type { MarketDayState } from './fold.ts'

const columns = [
  'night',
  'programme',
  'position',
  'sites',
  'robots',
  'ads_txt',
  'homepages',
  'managers',
  'exchanges',
] as const
const rowFrom = rowMaker(columns)

const rowsOf = ({ position, adsTxt, ...counts }: MarketDayState): readonly Row[] =>
  position === 0 ? [] : [rowFrom(position, counts, { ads_txt: adsTxt })]

export const marketDayRows: Rows<MarketDayState> = { columns, rowsOf }
