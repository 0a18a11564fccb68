import { eraseVerb } from './acts/erase.ts'
import { excludeVerb, leaveAloneVerb, paceVerb, readmitVerb, resumeVerb } from './acts/site.ts'
import { notReadVerb, reinstateVerb } from './acts/source.ts'
import { auditVerb } from './auditing/audit.ts'
import { citeVerb } from './citing/cite.ts'
import { claimVerb } from './citing/claim.ts'
import type { Verb } from './command.ts'
import { diffVerb } from './diff.ts'
import { fetchVerb } from './fetch.ts'
import { findVerb } from './find.ts'
import { findingsVerb } from './findings/findings.ts'
import { historyVerb } from './history.ts'
import { logVerb } from './log.ts'
import { planVerb } from './plan.ts'
import { projectionsVerb } from './projecting/projections.ts'
import { rebuildVerb } from './projecting/rebuild.ts'
import { readVerb } from './read.ts'
import { rehearseVerb } from './rehearse.ts'
import { robotsVerb } from './robots/robots.ts'
import { runVerb } from './run.ts'
import { showVerb } from './show.ts'
import { stateVerb } from './state.ts'
import { checkEvidenceVerb } from './tlog/check-evidence.ts'
import { checkExportVerb } from './tlog/check-export.ts'
import { evidenceVerb } from './tlog/evidence.ts'
import { exportVerb } from './tlog/export.ts'
import { headVerb } from './tlog/head.ts'
import { keysVerb } from './tlog/keys.ts'
import { openLogVerb } from './tlog/open-log.ts'
import { timestampVerb } from './tlog/timestamp.ts'
import { verifyVerb } from './tlog/verify.ts'
import { witnessVerb } from './tlog/witness.ts'

/** Every verb, in the order in which `--help` lists them. */
export const VERBS: readonly Verb[] = [
  runVerb,
  fetchVerb,
  planVerb,
  rehearseVerb,
  excludeVerb,
  readmitVerb,
  resumeVerb,
  paceVerb,
  leaveAloneVerb,
  notReadVerb,
  reinstateVerb,
  eraseVerb,
  logVerb,
  showVerb,
  findVerb,
  verifyVerb,
  headVerb,
  keysVerb,
  openLogVerb,
  witnessVerb,
  timestampVerb,
  citeVerb,
  claimVerb,
  evidenceVerb,
  checkEvidenceVerb,
  exportVerb,
  checkExportVerb,
  stateVerb,
  historyVerb,
  diffVerb,
  findingsVerb,
  projectionsVerb,
  rebuildVerb,
  auditVerb,
  readVerb,
  robotsVerb,
]
