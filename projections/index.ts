/** The list. A new projection is a folder with fold.ts, rows.ts and table.sql, and one line here. */
import { readFileSync } from 'node:fs'
import { adsTxtStateFold } from './ads-txt-state/fold.ts'
import { adsTxtStateRows } from './ads-txt-state/rows.ts'
import { type Projection, projection } from './projection.ts'
import { publisherListFold } from './publisher-list/fold.ts'
import { publisherListRows } from './publisher-list/rows.ts'
import { requestLogFold } from './request-log/fold.ts'
import { requestLogRows } from './request-log/rows.ts'
import { robotsDecisionsFold } from './robots-decisions/fold.ts'
import { robotsDecisionsRows } from './robots-decisions/rows.ts'
import { robotsStateFold } from './robots-state/fold.ts'
import { robotsStateRows } from './robots-state/rows.ts'
import { runSummaryFold } from './run-summary/fold.ts'
import { runSummaryRows } from './run-summary/rows.ts'
import { sellerStateFold } from './seller-state/fold.ts'
import { sellerStateRows } from './seller-state/rows.ts'
import { siteCooldownFold } from './site-cooldown/fold.ts'
import { siteCooldownRows } from './site-cooldown/rows.ts'

const table = (name: string): string =>
  readFileSync(new URL(`./${name}/table.sql`, import.meta.url), 'utf8')

export const adsTxtState = projection(adsTxtStateFold, adsTxtStateRows, table('ads-txt-state'))
export const sellerState = projection(sellerStateFold, sellerStateRows, table('seller-state'))
export const publisherList = projection(
  publisherListFold,
  publisherListRows,
  table('publisher-list'),
)
export const robotsState = projection(robotsStateFold, robotsStateRows, table('robots-state'))
export const robotsDecisions = projection(
  robotsDecisionsFold,
  robotsDecisionsRows,
  table('robots-decisions'),
)
export const siteCooldown = projection(siteCooldownFold, siteCooldownRows, table('site-cooldown'))
export const requestLog = projection(requestLogFold, requestLogRows, table('request-log'))
export const runSummary = projection(runSummaryFold, runSummaryRows, table('run-summary'))

export const PROJECTIONS: readonly Projection[] = [
  adsTxtState,
  sellerState,
  publisherList,
  robotsState,
  robotsDecisions,
  siteCooldown,
  requestLog,
  runSummary,
]

export const projectionNamed = (name: string): Projection | undefined =>
  PROJECTIONS.find((projection) => projection.name === name)
