import { type Row, rowMaker, type Rows } from '../projection.ts'
import { type RobotsStateState, siteOfOrigin } from './fold.ts'

const columns = [
  'origin',
  'site',
  'position',
  'read_at',
  'access',
  'because',
  'crawl_delay_ms',
  'since_position',
  'since_at',
  'previous_access',
  'previous_position',
  'request',
  'commit',
  'truncated',
  'issues',
  'reader',
  'programme',
  'subject',
] as const
const rowFrom = rowMaker(columns)

const rowsOf = ({ origin, last, now, before }: RobotsStateState): readonly Row[] => {
  if (last === null || now === null) return []
  const { at, crawlDelayMs, position, ...facts } = last
  const row = rowFrom(
    position,
    { origin, site: siteOfOrigin(origin), ...facts, read_at: at, crawl_delay_ms: crawlDelayMs },
    { access: now.access, since_position: now.position, since_at: now.at },
    before === null ? {} : { previous_access: before.access, previous_position: before.position },
  )
  return [row]
}

export const robotsStateRows: Rows<RobotsStateState> = { columns, rowsOf }
