import type { Json } from '../kernel/canonical-json.ts'
import { describeParseFailure, parse, t } from '../kernel/codec.ts'
import { E, type Either } from '../kernel/fp.ts'
import { type HttpUrl, originOf, parseHttpUrl, robotsUrlOf } from '../kernel/url.ts'
import { decideRobots } from './decide.ts'
import { readRobots } from './read.ts'
import type { RobotsFile } from './robots-file.ts'
import type { RobotsReader } from './reader.ts'
import { selectGroups } from './selection.ts'
import { sitemapsOf } from './sitemaps.ts'
import { tokenOf } from './token.ts'

const Generated = t.tuple([t.string, t.tuple([t.string, t.number]), t.string])

const optional = <C extends t.Mixed>(codec: C): t.UnionC<[C, t.UndefinedC]> =>
  t.union([codec, t.undefined])

const Id = t.union([t.string, t.number], 'string or number')

const Question = t.type(
  {
    id: Id,
    userAgent: t.string,
    url: t.string,
    robotsUrl: optional(t.string),
    robots: optional(t.string),
    robotsB64: optional(t.string),
    robotsGen: optional(Generated),
  },
  'a JSON object',
)
type Question = t.TypeOf<typeof Question>

const Identified = t.type({ id: Id })

/** A generated file may not be larger than this many UTF-16 units. */
const GENERATED_MAX = 64 * 1_048_576

/**
 * One line of `robots decide --jsonl`: a question in, its answer out, as JSON values.
 *
 * `allowed` null: the file must not decide this address, which is another origin's or none that we
 * could ask for. `line` is the winning rule's, 0 for none; `crawlDelay` is in seconds. A line that
 * is no question answers `{id, error}`, id null if it has none. Never throws.
 */
export const answerRobotsLine = (line: string, second?: RobotsReader): Json => {
  const json = parseJson(line)
  const identified = parse('id', Identified, json)
  const id = E.isRight(identified) ? identified.right.id : null
  const question = parse('question', Question, json)
  if (E.isLeft(question)) return { id, error: describeParseFailure(question.left) }
  const bytes = bytesOf(question.right)
  if (E.isLeft(bytes)) return { id, error: bytes.left }
  return second === undefined
    ? { id, ...answered(question.right, readRobots(bytes.right)) }
    : { id, ...answeredBySecond(question.right, bytes.right, second) }
}

const parseJson = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const bytesOf = (question: Question): Either<string, Uint8Array> => {
  const { robots, robotsB64, robotsGen } = question
  const given = [robots, robotsB64, robotsGen].filter((value) => value !== undefined)
  if (given.length !== 1) return E.left('expected one of robots, robotsB64, robotsGen')
  if (robots !== undefined) return E.right(Buffer.from(robots, 'utf8'))
  if (robotsB64 !== undefined) {
    return /^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(robotsB64)
      ? E.right(Buffer.from(robotsB64, 'base64'))
      : E.left('robotsB64: expected base64')
  }
  const [head, [piece, count], tail] = robotsGen ?? ['', ['', 0], '']
  if (!Number.isSafeInteger(count) || count < 0 || piece.length * count > GENERATED_MAX) {
    return E.left('robotsGen: expected [head, [piece, count], tail] of a bounded size')
  }
  return E.right(Buffer.from(head + piece.repeat(count) + tail, 'utf8'))
}

/** The address, and where its robots.txt is; undefined if that is not where the file came from. */
const placeOf = (question: Question): { url: HttpUrl; robotsUrl: HttpUrl } | undefined => {
  const url = parseHttpUrl(question.url)
  if (E.isLeft(url)) return undefined
  const robotsUrl =
    question.robotsUrl === undefined
      ? E.right(robotsUrlOf(originOf(url.right)))
      : parseHttpUrl(question.robotsUrl)
  if (E.isLeft(robotsUrl) || originOf(robotsUrl.right) !== originOf(url.right)) return undefined
  return { url: url.right, robotsUrl: robotsUrl.right }
}

const answered = (question: Question, file: RobotsFile): { readonly [key: string]: Json } => {
  const issues = file.issues.map(({ line, code }) => ({ line, code }))
  const place = placeOf(question)
  if (place === undefined) {
    return { allowed: null, line: 0, group: [], crawlDelay: null, sitemaps: [], issues }
  }
  const token = tokenOf(question.userAgent)
  const { allowed, rule, group } = decideRobots(file, token, place.url)
  const { crawlDelay } = selectGroups(file, token)
  return {
    allowed,
    line: rule?.line ?? 0,
    group,
    crawlDelay: crawlDelay === null ? null : crawlDelay.milliseconds / 1_000,
    sitemaps: sitemapsOf(file, place.robotsUrl),
    issues,
  }
}

/** A second reader names no group and no issues; what it does not say is left empty. */
const answeredBySecond = (
  question: Question,
  bytes: Uint8Array,
  reader: RobotsReader,
): { readonly [key: string]: Json } => {
  const place = placeOf(question)
  const nothing = { allowed: null, line: 0, group: [], crawlDelay: null, sitemaps: [], issues: [] }
  if (place === undefined) return nothing
  const answer = reader.answer(bytes, tokenOf(question.userAgent), place.url)
  if (answer.tag === 'Declined') return { ...nothing, declined: answer.because }
  const { allowed, line, crawlDelayMs } = answer
  return {
    ...nothing,
    allowed,
    line,
    crawlDelay: crawlDelayMs === null ? null : crawlDelayMs / 1_000,
  }
}
