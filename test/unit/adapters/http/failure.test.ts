import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errors } from 'undici'
import {
  causeOf,
  CODE_CHARACTERS_MAX,
  ExchangeError,
  FAILURES,
  type Reached,
} from '../../../../src/adapters/http/failure.ts'
import { FailureReason } from '../../../../src/ledger/exchange.ts'

const withCode = (code: string): Error => Object.assign(new Error('secret-token'), { code })
const reasonOf = (code: string, reached: Reached): string => causeOf(withCode(code), reached).reason

const EXPECTED: readonly (readonly [code: string, reached: Reached, reason: FailureReason])[] = [
  ['ENOTFOUND', 'nothing', 'dns'],
  ['EAI_AGAIN', 'nothing', 'dns'],
  ['ESERVFAIL', 'nothing', 'dns'],
  ['ECONNREFUSED', 'nothing', 'connect-refused'],
  ['ETIMEDOUT', 'nothing', 'connect-timeout'],
  ['ETIMEDOUT', 'head-read', 'timeout'],
  ['EHOSTUNREACH', 'nothing', 'connect-failed'],
  ['ENETUNREACH', 'nothing', 'connect-failed'],
  ['EPERM', 'nothing', 'connect-failed'],
  ['EPERM', 'head-read', 'other'],
  ['CERT_HAS_EXPIRED', 'nothing', 'tls'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'nothing', 'tls'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'nothing', 'tls'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'nothing', 'tls'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'nothing', 'tls'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'nothing', 'tls'],
  ['EPROTO', 'nothing', 'tls'],
  ['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'head-read', 'tls'],
  ['UND_ERR_HEADERS_OVERFLOW', 'response-begun', 'headers-too-large'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'response-begun', 'bad-response'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'head-read', 'cut-short'],
  ['ECONNRESET', 'nothing', 'reset'],
  ['ECONNRESET', 'connected', 'reset'],
  ['EPIPE', 'connected', 'reset'],
  ['ECONNRESET', 'response-begun', 'cut-short'],
  ['ECONNRESET', 'head-read', 'cut-short'],
  ['EMFILE', 'nothing', 'other'],
  ['SOMETHING_NEW', 'head-read', 'other'],
]

test('each code means what it means at the point the exchange had reached', () => {
  for (const [code, reached, reason] of EXPECTED) {
    assert.equal(reasonOf(code, reached), reason, `${code} at ${reached}`)
    assert.equal(causeOf(withCode(code), reached).code, code)
  }
})

test('the adapter’s own codes and undici’s errors without a code have their place', () => {
  const own = (code: ConstructorParameters<typeof ExchangeError>[0]) =>
    causeOf(new ExchangeError(code), 'head-read').reason
  assert.equal(own('INTERRUPTED'), 'interrupted')
  assert.equal(own('ADDRESS_REFUSED'), 'address-refused')
  assert.equal(own('NO_ADDRESS'), 'dns')
  assert.equal(own('TOTAL_TIMEOUT'), 'timeout')
  assert.equal(own('CONNECT_TIMEOUT'), 'connect-timeout')
  assert.equal(own('RESET_IN_BODY'), 'cut-short')
  assert.equal(own('STATUS_OUT_OF_RANGE'), 'bad-response')
  assert.equal(own('TOO_MANY_INTERIM_RESPONSES'), 'bad-response')
  assert.equal(own('CONNECTION_USED'), 'reset')
  const closed = new errors.SocketError('other side closed')
  assert.equal(causeOf(closed, 'connected').reason, 'reset')
  assert.equal(causeOf(closed, 'head-read').reason, 'cut-short')
  assert.equal(causeOf(new errors.SocketError('bad upgrade'), 'connected').reason, 'bad-response')
})

/** One code that each pattern of the table accepts. */
const example = (known: string | RegExp): string => {
  if (typeof known === 'string') return known
  const source = known.source.replace('^', '')
  return source.endsWith('_') ? `${source}X` : source
}

test('every row of the table is reachable: no earlier row takes all its codes', () => {
  const stages: readonly Reached[] = ['nothing', 'connected', 'response-begun', 'head-read']
  for (const row of FAILURES)
    for (const known of row.codes) {
      const code = example(known)
      const reasons = (row.reached ?? stages).map((reached) => {
        if (code.startsWith('HTTPParserError')) {
          const message = code.endsWith('end') ? '(Invalid EOF state)' : ''
          return causeOf(Object.assign(new Error(message), { name: 'HTTPParserError' }), reached)
            .reason
        }
        const [bare = '', message = ''] = code.split(': ')
        return causeOf(Object.assign(new Error(message), { code: bare }), reached).reason
      })
      assert.ok(reasons.includes(row.reason), `${String(known)} never becomes ${row.reason}`)
    }
})

test('every reason we have a word for comes from the table, or is other', () => {
  const reasons = new Set([...FAILURES.map((row) => row.reason), 'other'])
  for (const reason of reasons) assert.ok(FailureReason.is(reason))
  const words = FailureReason.name.match(/[a-z][a-z-]+/g) ?? []
  assert.deepEqual(
    words.filter((word) => !reasons.has(word as FailureReason)),
    [],
  )
})

test('nodejs/node#54359: of several addresses the error that speaks of the site counts', () => {
  const several = (...codes: readonly string[]) =>
    causeOf(new AggregateError(codes.map(withCode), ''), 'nothing')
  assert.deepEqual(several('ENETUNREACH', 'ECONNREFUSED'), {
    reason: 'connect-refused',
    code: 'ECONNREFUSED',
  })
  assert.equal(several('ETIMEDOUT', 'ENETUNREACH').reason, 'connect-timeout')
  assert.equal(several('ENETUNREACH', 'EHOSTUNREACH').reason, 'connect-failed')
  assert.equal(several().reason, 'other')
})

test('codes are bounded and never repeat an error’s message, which may quote the server', () => {
  assert.equal(causeOf(withCode('X'.repeat(500)), 'nothing').code.length, CODE_CHARACTERS_MAX)
  assert.equal(causeOf(new Error('secret-token'), 'nothing').code, 'Error')
  const quoting = Object.assign(new Error('bad (secret;token)'), { name: 'HTTPParserError' })
  assert.equal(causeOf(quoting, 'connected').code, 'HTTPParserError: malformed')
  assert.equal(causeOf('secret-token', 'nothing').code, 'not an error')
})
