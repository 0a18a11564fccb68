/** The list. A new projection is a folder with fold.ts, rows.ts and table.sql, and one line here. */
import { readFileSync } from 'node:fs'
import { adsTxtFindingsFold } from './ads-txt-findings/fold.ts'
import { adsTxtStateFold } from './ads-txt-state/fold.ts'
import { adsTxtStateRows } from './ads-txt-state/rows.ts'
import { findingRows } from './finding.ts'
import { marketDayFold } from './market-day/fold.ts'
import { marketDayRows } from './market-day/rows.ts'
import { networkFindingsFold } from './network-findings/fold.ts'
import { type Projection, projection } from './projection.ts'
import { publisherListFold } from './publisher-list/fold.ts'
import { publisherListRows } from './publisher-list/rows.ts'
import { requestLogFold } from './request-log/fold.ts'
import { requestLogRows } from './request-log/rows.ts'
import { robotsDecisionsFold } from './robots-decisions/fold.ts'
import { robotsDecisionsRows } from './robots-decisions/rows.ts'
import { robotsFindingsFold } from './robots-findings/fold.ts'
import { robotsStateFold } from './robots-state/fold.ts'
import { robotsStateRows } from './robots-state/rows.ts'
import { runSummaryFold } from './run-summary/fold.ts'
import { runSummaryRows } from './run-summary/rows.ts'
import { sellerFindingsFold } from './seller-findings/fold.ts'
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

export const marketDay = projection(marketDayFold, marketDayRows, table('market-day'))

/** Findings of every kind have rows of one shape. */
const findingTable = readFileSync(new URL('./finding.sql', import.meta.url), 'utf8')
export const robotsFindings = projection(robotsFindingsFold, findingRows, findingTable)
export const adsTxtFindings = projection(adsTxtFindingsFold, findingRows, findingTable)
export const sellerFindings = projection(sellerFindingsFold, findingRows, findingTable)
export const networkFindings = projection(networkFindingsFold, findingRows, findingTable)
export const FINDINGS: readonly Projection[] = [
  robotsFindings,
  adsTxtFindings,
  sellerFindings,
  networkFindings,
]

export const PROJECTIONS: readonly Projection[] = [
  adsTxtState,
  sellerState,
  publisherList,
  robotsState,
  robotsDecisions,
  siteCooldown,
  requestLog,
  runSummary,
  marketDay,
  ...FINDINGS,
]

export const projectionNamed = (name: string): Projection | undefined =>
  PROJECTIONS.find((projection) => projection.name === name)
