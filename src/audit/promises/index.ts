import type { Rule } from '../rule.ts'
import { agent, anonymous } from './anonymous.ts'
import { askedLater, comeBack, refused } from './back-off.ts'
import { conditional } from './conditional.ts'
import { crawlDelay } from './crawl-delay.ts'
import { discarded } from './discarded.ts'
import { excluded } from './excluded.ts'
import { exempt } from './exempt.ts'
import { kept } from './kept.ts'
import { limits } from './limits.ts'
import { looks } from './looks.ts'
import { nightEnd } from './night-end.ts'
import { nightly } from './nightly.ts'
import { nightOfRun, once, robotsOnce } from './once.ts'
import { ownersWish } from './owner.ts'
import { pace } from './pace.ts'
import { pageStop } from './page-stop.ts'
import { paths } from './paths.ts'
import { permitted } from './permitted.ts'
import { redirects } from './redirects.ts'
import { budget, retries } from './retries.ts'
import { byHand, robotsFirst } from './robots-first.ts'
import { credited, oneMoreSite, scope } from './scope.ts'
import { strikes } from './strikes.ts'
import { survey } from './survey.ts'
import { traced } from './traced.ts'
import { unavailable, unreachable } from './unreachable.ts'
import { written } from './written.ts'

/** Every rule. A new one is a file here and a line in this list. */
export const RULES: readonly Rule[] = [
  paths,
  scope,
  oneMoreSite,
  credited,
  redirects,
  robotsFirst,
  byHand,
  permitted,
  agent,
  exempt,
  once,
  nightOfRun,
  robotsOnce,
  retries,
  budget,
  nightEnd,
  nightly,
  pace,
  strikes,
  crawlDelay,
  askedLater,
  refused,
  comeBack,
  conditional,
  unreachable,
  unavailable,
  kept,
  discarded,
  anonymous,
  pageStop,
  excluded,
  ownersWish,
  looks,
  traced,
  limits,
  survey,
  written,
]
