/** What a whole fetch came to, after all its hops: one event in the stream of the site it began at. */
import type { Digest } from '../kernel/digest.ts'
import type { Position } from '../kernel/position.ts'
import { clip } from '../kernel/text.ts'
import type { Site } from '../kernel/site.ts'
import { originOf, type HttpUrl } from '../kernel/url.ts'
import type { Header, Purpose } from '../kernel/words.ts'
import type { EventOf } from '../ledger/event.ts'
import type { FetchOutcome } from '../ledger/events/fetch-concluded.ts'
import { robotsAccess, type RobotsFetchEnd } from '../robots/access.ts'
import { crawlDelayMs } from '../robots/decide.ts'
import type { RobotsFile } from '../robots/read.ts'

/** One fetch: what for, from which address, in whose night. */
export type Fetch = {
  readonly programme: string
  readonly night: string
  readonly subject: Site
  readonly purpose: Purpose
  readonly target: HttpUrl
}

/** The answer a fetch ended with; nulls where none came or nothing was kept. */
export type LastAnswer = {
  readonly request: Position | null
  readonly status: number | null
  /** Content-Type and Content-Encoding. */
  readonly headers: readonly Header[]
  readonly commit: Digest | null
  readonly truncated: boolean
}

export const noAnswer: LastAnswer = {
  request: null,
  status: null,
  headers: [],
  commit: null,
  truncated: false,
}

export type Ending = {
  readonly outcome: FetchOutcome
  /** A failure, redirect or withholding reason; '' for an answer. */
  readonly because: string
  readonly url: HttpUrl
  readonly redirects: readonly number[]
  readonly reused: boolean
  readonly answer: LastAnswer
}

export const fetchConcluded = (fetch: Fetch, ending: Ending): EventOf<'FetchConcluded'> => ({
  type: 'FetchConcluded',
  v: 1,
  ...fetch,
  outcome: ending.outcome,
  because: clip(ending.because, 100),
  url: ending.url,
  hops: ending.redirects.length,
  redirects: ending.redirects,
  reused: ending.reused,
  ...ending.answer,
})

/** `file`: the rules as read, null where there are none to read. */
export const robotsRead = (
  fetch: Fetch,
  end: RobotsFetchEnd,
  answer: LastAnswer,
  rules: { readonly file: RobotsFile | null; readonly token: string; readonly reader: string },
): EventOf<'RobotsRead'> => {
  const { access, because } = robotsAccess(end)
  const file = access === 'rules' ? rules.file : null
  const { programme, night, subject, target } = fetch
  const { status: _, ...kept } = answer
  return {
    type: 'RobotsRead',
    v: 1,
    programme,
    night,
    subject,
    origin: originOf(target),
    access,
    because: clip(because, 200),
    ...kept,
    crawlDelayMs: file === null ? null : crawlDelayMs(file, rules.token),
    issues: file === null ? 0 : file.issueCount,
    reader: rules.reader,
  }
}
