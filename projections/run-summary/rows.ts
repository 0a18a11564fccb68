import { type Cells, type Row, rowMaker, type Rows } from '../projection.ts'
import type { Ended, RunSummaryState, Started } from './fold.ts'

const columns = [
  'run',
  'position',
  'programme',
  'kind',
  'night',
  'adopted',
  'software',
  'started_position',
  'started_at',
  'ended_position',
  'ended_at',
  'status',
  'requests',
  'responses',
  'failures',
  'abandoned',
  'withheld',
  'sites',
] as const
const rowFrom = rowMaker(columns)

const rowsOf = (state: RunSummaryState): readonly Row[] => {
  const { run, position, programme, started, ended } = state
  if (started === null && ended === null) return []
  const row = rowFrom(
    position,
    { run, programme, status: 'running' },
    started === null ? {} : startedCells(started),
    ended === null ? {} : endedCells(ended),
  )
  return [row]
}

const startedCells = ({ position, at, ...facts }: Started): Cells<typeof columns> => ({
  ...facts,
  started_position: position,
  started_at: at,
})

const endedCells = ({ position, at, ...facts }: Ended): Cells<typeof columns> => ({
  ...facts,
  ended_position: position,
  ended_at: at,
})

export const runSummaryRows: Rows<RunSummaryState> = { columns, rowsOf }
