import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../support/property.ts'
import { instant, later } from '../../../src/kernel/instant.ts'
import { type ExchangeEnd, nextAllowed } from '../../../src/politeness/next-allowed.ts'
import { NIGHT, NOW, policy } from '../../support/site.ts'

const end = (change: Partial<ExchangeEnd>): ExchangeEnd => ({
  endedAt: NOW,
  status: 200,
  attempt: 1,
  failure: null,
  refused: false,
  retryAfterMs: null,
  crawlDelayMs: null,
  paceMs: 0,
  alwaysClosed: false,
  ...change,
})
const next = (change: Partial<ExchangeEnd>) => nextAllowed(policy, NIGHT, end(change))

describe('nextAllowed', () => {
  test('PR6 without anything else the pause of the policy, from the end of the exchange', () => {
    assert.equal(next({}).at, later(NOW, policy.pauseSeconds * 1_000))
  })
  test('PR8 a Crawl-delay longer than the pause is waited in full', () => {
    assert.equal(next({ crawlDelayMs: 30_000 }).at, later(NOW, 30_000))
    assert.equal(next({ crawlDelayMs: 500 }).at, later(NOW, policy.pauseSeconds * 1_000))
  })
  test('PR9 a 429 ends the night, with and without Retry-After', () => {
    assert.equal(next({ status: 429 }).cooldownUntil, NIGHT.endsAt)
    assert.equal(next({ status: 429, retryAfterMs: 60_000 }).at, NIGHT.endsAt)
  })
  test('PR9 a Retry-After beyond the next night is honoured in full', () => {
    const twoDays = 2 * 86_400_000
    assert.equal(next({ status: 429, retryAfterMs: twoDays }).at, later(NOW, twoDays))
    assert.equal(next({ status: 503, retryAfterMs: twoDays }).at, later(NOW, twoDays))
  })
  test('PR9 a refusal ends the night', () => {
    assert.equal(next({ status: 403, refused: true }).cooldownUntil, NIGHT.endsAt)
  })
  test('a 503 without Retry-After is only a failure, and starts no cooldown', () => {
    assert.equal(next({ status: 503 }).cooldownUntil, null)
  })
  test('never earlier than any of its inputs asks, for all answers', () => {
    fc.assert(
      fc.property(
        fc.record({
          endedAt: fc.integer({ min: 0, max: 4e12 }).map(instant),
          status: fc.option(fc.integer({ min: 100, max: 999 })),
          refused: fc.boolean(),
          retryAfterMs: fc.option(fc.integer({ min: 0, max: 1e12 })),
          crawlDelayMs: fc.option(fc.integer({ min: 0, max: 1e9 })),
        }),
        (given) => {
          const answer = next(given)
          const least = Math.max(
            policy.pauseSeconds * 1_000,
            given.crawlDelayMs ?? 0,
            given.retryAfterMs ?? 0,
          )
          assert.ok(answer.at >= given.endedAt + least)
          if (answer.cooldownUntil !== null) assert.ok(answer.at >= answer.cooldownUntil)
        },
      ),
    )
  })
})
