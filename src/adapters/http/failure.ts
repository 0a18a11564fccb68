/**
 * Every way in which no answer came, as one table from the library's or system's code to our word.
 * A code that is not in it becomes 'other' and stands in the ledger as it is.
 */
import type { FailureReason } from '../../ledger/exchange.ts'

/** How far the exchange had come: the same code means different things at different points. */
export type Reached = 'nothing' | 'connected' | 'response-begun' | 'head-read'

export type FailureCause = { readonly reason: FailureReason; readonly code: string }

/** Raised by this adapter itself. `code` is what the table knows it by. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError'
  readonly code: OwnCode
  constructor(code: OwnCode, message: string = code) {
    super(message)
    this.code = code
  }
}
export type OwnCode =
  | 'ADDRESS_REFUSED'
  | 'CONNECT_TIMEOUT'
  | 'CONNECTION_USED'
  | 'INTERRUPTED'
  | 'NO_ADDRESS'
  | 'STATUS_OUT_OF_RANGE'
  | 'TOO_MANY_INTERIM_RESPONSES'
  | 'TOTAL_TIMEOUT'
  | 'RESET_IN_BODY'

type Row = {
  readonly codes: readonly (string | RegExp)[]
  readonly reason: FailureReason
  /** The row only counts when the exchange had come this far. */
  readonly reached?: readonly Reached[]
}

const BEFORE_CONNECTED: readonly Reached[] = ['nothing']
const BEFORE_RESPONSE: readonly Reached[] = ['nothing', 'connected']

/** The first row that fits decides. */
export const FAILURES: readonly Row[] = [
  { codes: ['INTERRUPTED'], reason: 'interrupted' },
  { codes: ['ADDRESS_REFUSED'], reason: 'address-refused' },
  { codes: ['TOTAL_TIMEOUT'], reason: 'timeout' },
  { codes: ['CONNECT_TIMEOUT'], reason: 'connect-timeout' },
  // getaddrinfo and c-ares speak of names that are not there or servers that do not say.
  {
    codes: [
      /^EAI_/,
      'NO_ADDRESS',
      'ENOTFOUND',
      'ENODATA',
      'ESERVFAIL',
      'EFORMERR',
      'EREFUSED',
      'EBADNAME',
    ],
    reason: 'dns',
  },
  { codes: ['ECONNREFUSED'], reason: 'connect-refused' },
  { codes: ['ETIMEDOUT'], reason: 'connect-timeout', reached: BEFORE_CONNECTED },
  { codes: ['ETIMEDOUT'], reason: 'timeout' },
  {
    codes: ['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'EADDRNOTAVAIL'],
    reason: 'connect-failed',
  },
  { codes: ['EACCES', 'EPERM'], reason: 'connect-failed', reached: BEFORE_CONNECTED },
  // OpenSSL's handshake and alert codes, Node's own, and X509_V_ERR_* without the prefix.
  {
    codes: [
      /^ERR_SSL_/,
      /^ERR_TLS_/,
      /^CERT_/,
      /^CRL_/,
      /^UNABLE_TO_/,
      /SELF_SIGNED_CERT/,
      /^ERROR_IN_CERT_/,
      /^ERROR_IN_CRL_/,
      'EPROTO',
      'INVALID_CA',
      'INVALID_PURPOSE',
      'PATH_LENGTH_EXCEEDED',
      'HOSTNAME_MISMATCH',
    ],
    reason: 'tls',
  },
  { codes: ['UND_ERR_HEADERS_OVERFLOW'], reason: 'headers-too-large' },
  // Framing that contradicts itself is seen before the head is done; later the body is short.
  {
    codes: ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'RESET_IN_BODY'],
    reason: 'cut-short',
    reached: ['head-read'],
  },
  {
    codes: ['HTTPParserError: end'],
    reason: 'cut-short',
    reached: ['response-begun', 'head-read'],
  },
  {
    codes: ['UND_ERR_SOCKET: bad response', 'UND_ERR_SOCKET: bad upgrade'],
    reason: 'bad-response',
  },
  {
    codes: [
      /^HTTPParserError/,
      'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
      'STATUS_OUT_OF_RANGE',
      'TOO_MANY_INTERIM_RESPONSES',
    ],
    reason: 'bad-response',
  },
  // Lost before the request was out: undici would quietly connect again, which we refuse.
  { codes: ['CONNECTION_USED'], reason: 'reset' },
  {
    codes: ['ECONNRESET', 'EPIPE', 'ECONNABORTED', /^UND_ERR_SOCKET/],
    reason: 'reset',
    reached: BEFORE_RESPONSE,
  },
  { codes: ['ECONNRESET', 'EPIPE', 'ECONNABORTED', /^UND_ERR_SOCKET/], reason: 'cut-short' },
]

export const CODE_CHARACTERS_MAX = 100

/** What a machine without IPv6 answers for every IPv6 address: says nothing about the site. */
const NO_ROUTE = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'])

/** Several addresses, several errors: the first that speaks of the site, else the first. */
const unwrap = (error: unknown): unknown => {
  if (!(error instanceof AggregateError)) return error
  const errors: readonly unknown[] = error.errors
  return errors.find((one) => !NO_ROUTE.has(codeOf(one))) ?? errors[0] ?? error
}

/** llhttp's word for a stream that ended where it must not; undici gives parser errors no code. */
const UNEXPECTED_END = /Invalid EOF state/i

/** The code by which the table knows an error. Never its message: that may quote what a server sent. */
const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'not an error'
  if (error.name === 'HTTPParserError') {
    if (UNEXPECTED_END.test(error.message)) return 'HTTPParserError: end'
    return `HTTPParserError: ${parserReason(error.message)}`
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  return code === 'UND_ERR_SOCKET' ? `UND_ERR_SOCKET: ${error.message}` : code
}

/** `Response does not match the HTTP/1.1 protocol (<llhttp's own words>)`. */
const parserReason = (message: string): string =>
  /\(([\w ,/:'-]{1,60})\)$/.exec(message)?.[1] ?? 'malformed'

const fits = ({ codes, reached }: Row, code: string, at: Reached): boolean =>
  (reached === undefined || reached.includes(at)) &&
  codes.some((known) => (typeof known === 'string' ? known === code : known.test(code)))

/** Our word for `error`, and its code for people, bounded. */
export const causeOf = (error: unknown, reached: Reached): FailureCause => {
  const code = codeOf(unwrap(error)).slice(0, CODE_CHARACTERS_MAX)
  const row = FAILURES.find((candidate) => fits(candidate, code, reached))
  return { reason: row?.reason ?? 'other', code }
}
