import type { Rule } from '../rule.ts'
import { agent, anonymous } from './anonymous.ts'
import { backOff } from './back-off.ts'
import { crawlDelay } from './crawl-delay.ts'
import { discarded } from './discarded.ts'
import { excluded } from './excluded.ts'
import { exempt } from './exempt.ts'
import { kept } from './kept.ts'
import { limits } from './limits.ts'
import { nightOfRun, once, robotsOnce } from './once.ts'
import { pace } from './pace.ts'
import { pageStop } from './page-stop.ts'
import { paths } from './paths.ts'
import { permitted } from './permitted.ts'
import { redirects } from './redirects.ts'
import { robotsFirst } from './robots-first.ts'
import { strikes } from './strikes.ts'
import { traced } from './traced.ts'
import { unavailable, unreachable } from './unreachable.ts'
import { written } from './written.ts'

/** Every rule. A new one is a file here and a line in this list. */
export const RULES: readonly Rule[] = [
  paths,
  redirects,
  robotsFirst,
  permitted,
  agent,
  exempt,
  once,
  nightOfRun,
  robotsOnce,
  pace,
  strikes,
  crawlDelay,
  backOff,
  unreachable,
  unavailable,
  kept,
  discarded,
  anonymous,
  pageStop,
  excluded,
  traced,
  limits,
  written,
]
