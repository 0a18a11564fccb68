import { equal, match, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseError } from 'pg'
import { unavailableBecause } from '../../../../src/adapters/postgres/failure.ts'

const refused = (code: string, message = 'a value: s3cret'): DatabaseError => {
  const error = new DatabaseError(message, message.length, 'error')
  error.code = code
  error.detail = 'Key (stream)=(s3cret) already exists.'
  return error
}

const coded = (code: string, extra: object = {}): Error =>
  Object.assign(new Error('connect to s3cret'), { code, ...extra })

const unavailable: readonly Error[] = [
  ...[
    '28P01',
    '3D000',
    '42501',
    '25006',
    '53100',
    '53300',
    '57014',
    '57P01',
    '57P03',
    '40P01',
    '55P03',
    '08006',
    '58030',
  ].map((code) => refused(code)),
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'ETIMEDOUT', 'EHOSTUNREACH'].map((code) =>
    coded(code, { syscall: 'connect' }),
  ),
  coded('ERR_TLS_CERT_ALTNAME_INVALID'),
  coded('DEPTH_ZERO_SELF_SIGNED_CERT'),
  coded('ERR_SSL_WRONG_VERSION_NUMBER'),
  new Error('Connection terminated unexpectedly'),
  new Error('Connection terminated due to connection timeout'),
  new Error('timeout expired'),
  new Error('Client has encountered a connection error and is not queryable'),
  new Error('The server does not support SSL connections'),
]

for (const error of unavailable)
  test(`Unavailable, without a value: ${'code' in error ? String(error.code) : error.message}`, () => {
    const { tag, because } = unavailableBecause('db.example/ledger', error)
    equal(tag, 'Unavailable')
    match(because, /^the database db\.example\/ledger: ./)
    ok(!because.includes('s3cret'), because)
  })

for (const code of ['23505', '42601', '42P01', '22P02', 'XX000', 'P0001'])
  test(`a defect, without a value: SQLSTATE ${code}`, () => {
    throws(
      () => unavailableBecause('db.example/ledger', refused(code)),
      (error: unknown) =>
        error instanceof Error &&
        error.name === 'Defect' &&
        error.message.includes(code) &&
        !error.message.includes('s3cret'),
    )
  })

test('what is no error of the database is thrown as it is', () => {
  const bug = new TypeError('x is not a function')
  throws(() => unavailableBecause('here', bug), bug)
})
