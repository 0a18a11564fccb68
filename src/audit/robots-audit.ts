/**
 * Counterfactual replay: every decision that rests on a kept robots.txt, made again by another
 * reader on the very bytes. What differs is listed, with the cause: who finds the faults of a reader
 * in this list finds what they led to (RC27).
 */
import type { Instant } from '../kernel/instant.ts'
import type { Position } from '../kernel/position.ts'
import type { HttpUrl } from '../kernel/url.ts'
import type { Purpose } from '../kernel/words.ts'
import type { Recorded } from '../ledger/entry.ts'
import type { RobotsReader } from '../robots/reader.ts'
import { type FileKind, fileKinds } from './file-kind.ts'
import { type Cause, decidedStep, type DecidedStep, type RobotsWindow } from './decided-step.ts'
import type { KeptFile } from './kept-file.ts'
import { newPast } from './past.ts'

export type Difference = {
  /** Of the request, or of its withholding. */
  readonly position: Position
  readonly at: Instant
  readonly programme: string
  readonly night: string
  readonly purpose: Purpose
  readonly url: HttpUrl
  /** A request was sent; false: it was withheld. */
  readonly sent: boolean
  readonly decision: Position
  readonly decided: {
    readonly verdict: 'allow' | 'deny'
    readonly basis: string
    readonly line: number | null
    readonly rule: string | null
    readonly reader: string
    /** The request of the file that it rests on. */
    readonly robots: Position | null
  }
  /** `unread`: the robots.txt of the origin had not been read, so nothing may be asked of it. */
  readonly other: { readonly verdict: 'allow' | 'deny' | 'unread'; readonly line: number | null }
  readonly cause: Cause
  /** What in the file readers are known to read in different ways. */
  readonly kinds: readonly FileKind[]
}

export type RobotsAuditTotals = {
  /** Requests and withholdings that were decided again. */
  readonly judged: number
  /** Requests sent that the other reader would have refused. */
  readonly wouldRefuse: number
  /** Requests withheld that it would have allowed. */
  readonly wouldAllow: number
  /** Of `wouldRefuse`, by cause. */
  readonly causes: Readonly<Record<Cause, number>>
  /** Not judged: the other reader cannot take the file, or the body store does not have it. */
  readonly declined: number
  readonly gone: number
}

export type RobotsAudit = {
  readonly wants: (recorded: Recorded) => KeptFile | undefined
  readonly take: (
    recorded: Recorded,
    bytes: Uint8Array | 'missing' | 'erased' | 'undecodable' | undefined,
  ) => Difference | undefined
  readonly totals: () => RobotsAuditTotals
}

type Answer = { readonly verdict: Difference['other']['verdict']; readonly line: number | null }

export const robotsAudit = (reader: RobotsReader, window: RobotsWindow): RobotsAudit => {
  const { past, take } = newPast()
  const causes = {
    'misread-file': 0,
    'redirect-to-unread-host': 0,
    'file-of-another-port': 0,
    'file-of-another-host': 0,
  }
  const totals = { judged: 0, wouldRefuse: 0, wouldAllow: 0, declined: 0, gone: 0 }

  const judge = (
    decided: DecidedStep,
    bytes: Uint8Array | 'missing' | 'erased' | 'undecodable' | undefined,
  ): Difference | undefined => {
    const answer = answerOf(reader, decided, bytes)
    if (answer === 'declined' || answer === 'gone') {
      totals[answer] += 1
      return undefined
    }
    if (answer === undefined) return undefined
    totals.judged += 1
    const allowed = answer.verdict === 'allow'
    if (allowed === (decided.ruling.verdict === 'allow')) return undefined
    const found = difference(decided, answer, bytes)
    if (found.sent) {
      totals.wouldRefuse += 1
      causes[found.cause] += 1
    } else totals.wouldAllow += 1
    return found
  }
  return {
    wants: (recorded) => decidedStep(recorded, past, window)?.file,
    take: (recorded, bytes) => {
      const decided = decidedStep(recorded, past, window)
      const found = decided === undefined ? undefined : judge(decided, bytes)
      take(recorded)
      return found
    },
    totals: () => ({ ...totals, causes }),
  }
}

/** undefined: there is no rule to ask about. */
const answerOf = (
  reader: RobotsReader,
  { step, ruling, file, wrongFile }: DecidedStep,
  bytes: Uint8Array | 'missing' | 'erased' | 'undecodable' | undefined,
): Answer | 'declined' | 'gone' | undefined => {
  if (file === undefined || bytes === undefined)
    return wrongFile === undefined ? undefined : { verdict: 'unread', line: null }
  if (bytes === 'missing' || bytes === 'erased') return 'gone'
  if (bytes === 'undecodable') return { verdict: 'unread', line: null }
  const answer = reader.answer(bytes, ruling.token, step.event.url)
  if (answer.tag === 'Declined') return 'declined'
  return {
    verdict: answer.allowed ? 'allow' : 'deny',
    line: answer.line === 0 ? null : answer.line,
  }
}

const difference = (
  { step, ruling, decision, wrongFile }: DecidedStep,
  other: Answer,
  bytes: Uint8Array | 'missing' | 'erased' | 'undecodable' | undefined,
): Difference => {
  const { event, position, ts } = step
  const { programme, night, purpose, url } = event
  const { verdict, basis, rule, reader, robots } = ruling
  return {
    position,
    at: ts,
    programme,
    night,
    purpose,
    url,
    sent: event.type === 'RequestSent',
    decision,
    decided: { verdict, basis, line: rule?.line ?? null, rule: rule?.text ?? null, reader, robots },
    other,
    cause: wrongFile ?? 'misread-file',
    kinds: bytes instanceof Uint8Array ? fileKinds(bytes) : [],
  }
}
