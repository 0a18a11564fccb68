/** Which response headers stand in the ledger: bounded, without credentials, and PR12's allow-list. */
import type { Header } from '../kernel/words.ts'

export const RECORDED_HEADERS_MAX = 100
/** Names and values together, in characters: an entry must stay below 65,535 bytes. */
export const RECORDED_CHARACTERS_MAX = 16_384
const NAME_MAX = 256
const VALUE_MAX = 4_096
const CUT = ' (cut short)'
const NOT_RECORDED = '(not recorded)'

/** Their values identify a visitor or open a door: only that they were there is recorded (PR13). */
const CREDENTIALS = new Set([
  'set-cookie',
  'set-cookie2',
  'cookie',
  'authorization',
  'proxy-authorization',
  'authentication-info',
  'proxy-authentication-info',
])

/**
 * What may stand beside a body that is not kept (PR12). Nothing here is computed from the body, as
 * ETag, Content-Length and digests are, or tells what stands in it, as Link and CSP do.
 */
const WITHOUT_BODY = new Set([
  'age',
  'cache-control',
  'cf-mitigated',
  'cf-ray',
  'connection',
  'content-encoding',
  'content-type',
  'date',
  'expires',
  'location',
  'retry-after',
  'server',
  'sg-captcha',
  'strict-transport-security',
  'transfer-encoding',
  'vary',
  'via',
  'www-authenticate',
  'x-amzn-waf-action',
  'x-robots-tag',
  'x-vercel-mitigated',
  ...CREDENTIALS,
])

/** The values of every header called `name` (any case), in order. */
export const headerValues = (headers: readonly Header[], name: string): readonly string[] => {
  const wanted = name.toLowerCase()
  return headers.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value)
}

const recorded = ([name, value]: Header): Header => {
  if (CREDENTIALS.has(name.toLowerCase())) return [name, NOT_RECORDED]
  return [name, value.length > VALUE_MAX ? value.slice(0, VALUE_MAX - CUT.length) + CUT : value]
}

export type RecordedHeaders = {
  readonly headers: readonly Header[]
  /** How many headers came in and are not in the list. */
  readonly headersOmitted: number
}

/**
 * The headers as the ledger records them, in the order and case they came in. `kept` says whether
 * the body is kept; beside one that is not, only the allow-list stands.
 */
export const recordedHeaders = (headers: readonly Header[], kept: boolean): RecordedHeaders => {
  const chosen: Header[] = []
  let room = RECORDED_CHARACTERS_MAX
  for (const header of headers) {
    if (chosen.length === RECORDED_HEADERS_MAX) break
    if (!kept && !WITHOUT_BODY.has(header[0].toLowerCase())) continue
    const [name, value] = recorded(header)
    if (name.length > NAME_MAX || name.length + value.length > room) continue
    room -= name.length + value.length
    chosen.push([name, value])
  }
  return { headers: chosen, headersOmitted: headers.length - chosen.length }
}
