/** RFC 9309 §2.3.1, and what it leaves open (docs/decisions/0011). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { robotsAccess, type RobotsFetchEnd } from '../../src/robots/access.ts'

const answered = (status: number, decodable = true): RobotsFetchEnd => ({
  tag: 'Answered',
  status,
  decodable,
})

const accessOf = (end: RobotsFetchEnd): string => {
  const { access, because } = robotsAccess(end)
  assert.ok(because.length > 0 && because.length <= 200)
  return access
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i)

test('RFC9309_2.3.1.1_success_means_the_rules_decide', () => {
  for (const status of range(200, 299).filter((status) => status !== 206)) {
    assert.equal(accessOf(answered(status)), 'rules', String(status))
  }
})

test('RFC9309_2.3.1.3_a_client_error_allows_everything_401_and_403_too (RC18)', () => {
  for (const status of range(400, 499).filter((status) => status !== 429)) {
    assert.equal(accessOf(answered(status)), 'unavailable', String(status))
    assert.equal(accessOf(answered(status, false)), 'unavailable', String(status))
  }
})

test('RFC9309_2.3.1.4_a_server_error_forbids_everything (PR10, RC19)', () => {
  for (const status of range(500, 599)) {
    assert.equal(accessOf(answered(status)), 'unreachable', String(status))
  }
})

for (const reason of [
  'dns',
  'connect-refused',
  'connect-timeout',
  'connect-failed',
  'tls',
  'timeout',
  'reset',
  'cut-short',
  'bad-response',
  'headers-too-large',
  'address-refused',
  'interrupted',
  'other',
] as const) {
  test(`RFC9309_2.3.1.4_failure_${reason}_forbids_everything (PR10, RC19)`, () => {
    assert.equal(accessOf({ tag: 'Failed', reason }), 'unreachable')
  })
}

test('RFC9309_2.3.1.4_an_interrupted_fetch_forbids_everything', () => {
  assert.equal(accessOf({ tag: 'Interrupted' }), 'unreachable')
})

test('HOUSE_429_is_an_instruction_and_no_missing_file (PR9)', () => {
  assert.equal(accessOf(answered(429)), 'unreachable')
})

test('HOUSE_a_content_coding_that_cannot_be_undone_forbids_everything', () => {
  assert.equal(accessOf(answered(200, false)), 'unreachable')
})

test('HOUSE_a_partial_file_a_redirect_that_ends_and_odd_statuses_forbid_everything', () => {
  for (const status of [100, 101, 103, 199, 206, 300, 302, 304, 399, 0, 600, 999]) {
    assert.equal(accessOf(answered(status)), 'unreachable', String(status))
  }
})

for (const reason of [
  'no-location',
  'ambiguous-location',
  'bad-location',
  'https-to-http',
  'too-many-redirects',
  'loop',
  'second-hop-outside',
  'other-site',
  'below-root',
] as const) {
  test(`HOUSE_a_redirect_refused_for_${reason}_forbids_everything`, () => {
    assert.equal(accessOf({ tag: 'RedirectRefused', reason }), 'unreachable')
  })
}

test('a followed redirect is not the end of a fetch: a bug, not a ruling', () => {
  assert.throws(() => robotsAccess({ tag: 'RedirectRefused', reason: 'followed' }))
})
