/** What the last visit left to ask "has it changed?" with (PK12, RC10; RFC 9110 §13.1). */
import type { Digest } from '../kernel/digest.ts'
import type { HttpUrl } from '../kernel/url.ts'
import type { Header } from '../kernel/words.ts'
import type { EventOf } from '../ledger/event.ts'
import { type Answer, contentHeaders } from './asked.ts'

export type Validator = {
  readonly etag: string | null
  readonly lastModified: string | null
  /** The kept body that a 304 confirms. */
  readonly commit: Digest
  readonly headers: readonly Header[]
}

export type Validators = ReadonlyMap<HttpUrl, Validator>

/** Of one site; the one remembered longest ago is dropped, and its page asked for in full. */
const VALIDATORS_MAX = 2_000
const ETAG_LENGTH_MAX = 512

/** RFC 9110 §8.8.3. What is not exactly that never goes back out on the wire. */
const ETAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/
/** RFC 9110 §5.6.7, the form that is to be written. It goes back as it came. */
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** The one value of a header, if it is given once and has the form. */
const only = (headers: readonly Header[], name: string, form: RegExp): string | null => {
  const values = headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value)
  const [value] = values
  return values.length === 1 && value !== undefined && form.test(value) ? value : null
}

/** A whole answer of 200 replaces what was known; one without validators leaves nothing to ask with. */
export const foldValidators = (
  before: Validators,
  { url, purpose, status, headers, body }: EventOf<'ResponseReceived'>,
): Validators => {
  if (purpose !== 'page' || status !== 200) return before
  const after = new Map(before)
  after.delete(url)
  const etag = only(headers, 'etag', ETAG)
  const lastModified = only(headers, 'last-modified', HTTP_DATE)
  const usable = etag === null || etag.length > ETAG_LENGTH_MAX ? null : etag
  if (body.kept && !body.truncated && (usable !== null || lastModified !== null)) {
    const { commit } = body
    after.set(url, { etag: usable, lastModified, commit, headers: contentHeaders(headers) })
  }
  const oldest = after.keys().next()
  if (after.size > VALIDATORS_MAX && oldest.done !== true) after.delete(oldest.value)
  return after
}

export const withoutBody = (before: Validators, commit: Digest): Validators =>
  new Map([...before].filter(([, validator]) => validator.commit !== commit))

/** The conditional headers of the next request. */
export const conditionalHeaders = (validator: Validator | undefined): readonly Header[] => {
  const headers: Header[] = []
  if (validator?.etag != null) headers.push(['if-none-match', validator.etag])
  if (validator?.lastModified != null) headers.push(['if-modified-since', validator.lastModified])
  return headers
}

/** Why a conclusion gives a body that its own answer did not have. */
export const NOT_MODIFIED = 'not-modified'

/** A 304 stands for the body that it confirms. */
export const confirmedAnswer = <A extends Pick<Answer, 'commit' | 'headers' | 'truncated'>>(
  answer: A,
  { commit, headers }: Validator,
): A => ({ ...answer, commit, headers, truncated: false })
