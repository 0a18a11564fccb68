import { siteOfHost } from '../../src/kernel/site.ts'
import { type Row, rowMaker, type Rows } from '../projection.ts'
import type { RobotsDecisionsState } from './fold.ts'

const columns = [
  'origin',
  'site',
  'programme',
  'decision',
  'because',
  'crawl_delay_ms',
  'access',
  'position',
  'read_at',
  'request',
  'commit',
  'reader',
] as const
const rowFrom = rowMaker(columns)

const rowsOf = ({ last }: RobotsDecisionsState): readonly Row[] => {
  if (last === null) return []
  const { position, at, crawlDelayMs, ...facts } = last
  const site = siteOfHost(URL.parse(last.origin)?.hostname ?? last.origin)
  return [rowFrom(position, { ...facts, site, read_at: at, crawl_delay_ms: crawlDelayMs })]
}

export const robotsDecisionsRows: Rows<RobotsDecisionsState> = { columns, rowsOf }
