import { deepEqual, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { rehearsalPolicy } from '../../../../scripts/rehearsal/policy.ts'
import { parsePolicy } from '../../../../src/programmes/policy-file.ts'
import { right } from '../../../support/either.ts'

const BASE = new URL('../../../../src/programmes/plain-reckoner/policy.json', import.meta.url)

test('a rehearsal keeps every promise of the policy and only shortens its time limits', () => {
  const base = readFileSync(BASE, 'utf8')
  const given = right(parsePolicy('policy.json', base))
  const rehearsed = right(parsePolicy('rehearsal', rehearsalPolicy(base)))
  deepEqual({ ...rehearsed, limits: given.limits }, given)
  ok(rehearsed.limits.totalMs < given.limits.totalMs)
  ok(rehearsed.limits.connectMs < given.limits.connectMs)
})
