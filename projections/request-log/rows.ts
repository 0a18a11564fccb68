import { type Cells, type Row, rowMaker, type Rows } from '../projection.ts'
import type { Closed, Redirect, RequestLogState, Sent } from './fold.ts'

const columns = [
  'request',
  'position',
  'run',
  'n',
  'programme',
  'site',
  'subject',
  'url',
  'target',
  'purpose',
  'night',
  'attempt',
  'hop',
  'via',
  'decision',
  'sent_at',
  'closed_position',
  'closed_at',
  'outcome',
  'status',
  'bytes',
  'commit',
  'reason',
  'redirect_verdict',
  'redirect_reason',
  'redirect_to',
  'next_allowed_at',
] as const
const rowFrom = rowMaker(columns)

const rowsOf = (state: RequestLogState): readonly Row[] => {
  const { request, position, asked, sent, closed, redirect } = state
  // A redirect decided about a request that is not in the ledger: there is nothing to show.
  if (asked === null) return []
  const row = rowFrom(
    position,
    { request, outcome: 'open', ...asked },
    sent === null ? {} : sentCells(sent),
    closed === null ? {} : closedCells(closed),
    redirect === null ? {} : redirectCells(redirect),
  )
  return [row]
}

const sentCells = ({ run, at, attempt, via, decision }: Sent): Cells<typeof columns> => ({
  run,
  sent_at: at,
  attempt,
  via,
  decision,
})

const closedCells = (closed: Closed): Cells<typeof columns> => {
  const { position, at, nextAllowedAt, outcome, status, bytes, commit, reason } = closed
  const cells = { outcome, status, bytes, commit, reason }
  return { ...cells, closed_position: position, closed_at: at, next_allowed_at: nextAllowedAt }
}

const redirectCells = ({ verdict, reason, to }: Redirect): Cells<typeof columns> => ({
  redirect_verdict: verdict,
  redirect_reason: reason,
  redirect_to: to,
})

export const requestLogRows: Rows<RequestLogState> = { columns, rowsOf }
