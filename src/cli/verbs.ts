import { excludeVerb, readmitVerb, resumeVerb } from './act.ts'
import type { Verb } from './command.ts'
import { findVerb } from './find.ts'
import { historyVerb } from './history.ts'
import { logVerb } from './log.ts'
import { planVerb } from './plan.ts'
import { projectionsVerb, rebuildVerb } from './projections.ts'
import { readVerb } from './read.ts'
import { rehearseVerb } from './rehearse.ts'
import { robotsVerb } from './robots.ts'
import { runVerb } from './run.ts'
import { showVerb } from './show.ts'
import { stateVerb } from './state.ts'

/** Every verb, in the order in which `--help` lists them. */
export const VERBS: readonly Verb[] = [
  runVerb,
  planVerb,
  rehearseVerb,
  excludeVerb,
  readmitVerb,
  resumeVerb,
  logVerb,
  showVerb,
  findVerb,
  stateVerb,
  historyVerb,
  projectionsVerb,
  rebuildVerb,
  readVerb,
  robotsVerb,
]
