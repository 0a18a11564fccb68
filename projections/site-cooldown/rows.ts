import { type Cells, type Row, rowMaker, type Rows } from '../projection.ts'
import type { Cooldown, Exclusion, Next, SiteCooldownState, Withheld } from './fold.ts'

const columns = [
  'site',
  'position',
  'next_allowed_at',
  'next_position',
  'floor_ms',
  'crawl_delay_ms',
  'retry_after_ms',
  'cooldown_until',
  'cooldown_because',
  'cooldown_position',
  'open_request',
  'excluded',
  'excluded_by',
  'excluded_at',
  'excluded_position',
  'stopped',
  'withheld_reason',
  'withheld_until',
  'withheld_at',
  'withheld_position',
] as const
const rowFrom = rowMaker(columns)

const rowsOf = (state: SiteCooldownState): readonly Row[] => {
  const { site, position, open, stopped, next, cooldown, excluded, withheld } = state
  if (position === 0) return []
  const row = rowFrom(
    position,
    { site, open_request: open[0] ?? null, excluded: excluded !== null, stopped },
    next === null ? {} : nextCells(next),
    cooldown === null ? {} : cooldownCells(cooldown),
    excluded === null ? {} : excludedCells(excluded),
    withheld === null ? {} : withheldCells(withheld),
  )
  return [row]
}

const nextCells = (next: Next): Cells<typeof columns> => ({
  next_allowed_at: next.at,
  next_position: next.position,
  floor_ms: next.floorMs,
  crawl_delay_ms: next.crawlDelayMs,
  retry_after_ms: next.retryAfterMs,
})

const cooldownCells = ({ until, because, position }: Cooldown): Cells<typeof columns> => ({
  cooldown_until: until,
  cooldown_because: because,
  cooldown_position: position,
})

const excludedCells = ({ by, at, position }: Exclusion): Cells<typeof columns> => ({
  excluded_by: by,
  excluded_at: at,
  excluded_position: position,
})

const withheldCells = ({ reason, until, at, position }: Withheld): Cells<typeof columns> => ({
  withheld_reason: reason,
  withheld_until: until,
  withheld_at: at,
  withheld_position: position,
})

export const siteCooldownRows: Rows<SiteCooldownState> = { columns, rowsOf }
