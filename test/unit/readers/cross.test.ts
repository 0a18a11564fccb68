/** IAB ads.txt 1.1 implementation guidance: an ads.txt record against the system's sellers.json. */
import { deepEqual, match } from 'node:assert/strict'
import { test } from 'node:test'
import { CROSS_FAULTS, type CrossAsk, readCross } from '../../../src/readers/cross/read.ts'

type Listed = NonNullable<CrossAsk['sellers']>[number]

const SITE: CrossAsk['site'] = {
  domain: 'site.example',
  owner: 'owner.example',
  managers: [{ domain: 'manager.example' }, { domain: 'local.example', country: 'DE' }],
}
const cross = (
  rel: 'DIRECT' | 'RESELLER',
  sellers: readonly Partial<Listed>[] | null,
  site = SITE,
) => {
  const listed = sellers?.map((one) => ({ id: '9', confidential: false, ...one })) ?? null
  const { verdict, country, faults } = readCross({
    site,
    record: { account: '9', rel },
    sellers: listed,
  })
  return [verdict, ...(country === undefined ? [] : [country]), ...faults]
}

test('cases A and D: the owner sells directly', () => {
  deepEqual(cross('DIRECT', [{ type: 'PUBLISHER', domain: 'Owner.example' }]), ['owner'])
})

test('§4.7: without OWNERDOMAIN the site owns itself', () => {
  const { owner: _, ...unowned } = SITE
  deepEqual(cross('DIRECT', [{ type: 'PUBLISHER', domain: 'site.example' }], unowned), ['owner'])
})

test('cases B and C: a manager, for all countries or for one', () => {
  deepEqual(cross('RESELLER', [{ type: 'INTERMEDIARY', domain: 'manager.example' }]), ['manager'])
  deepEqual(cross('RESELLER', [{ type: 'INTERMEDIARY', domain: 'local.example' }]), [
    'manager',
    'DE',
  ])
})

test('case E: anyone else is a reseller', () => {
  deepEqual(cross('RESELLER', [{ type: 'INTERMEDIARY', domain: 'other.example' }]), ['reseller'])
})

test('cases F and G: BOTH is noted', () => {
  deepEqual(cross('DIRECT', [{ type: 'BOTH', domain: 'owner.example' }]), ['owner', 'X_TYPE_BOTH'])
  deepEqual(cross('RESELLER', [{ type: 'BOTH', domain: 'x.example' }]), ['reseller', 'X_TYPE_BOTH'])
})

test('12050, 13050: relationship and type contradict each other', () => {
  deepEqual(cross('DIRECT', [{ type: 'INTERMEDIARY', domain: 'manager.example' }]), [
    'manager',
    'X_DIRECT_NOT_PUBLISHER',
  ])
  deepEqual(cross('RESELLER', [{ type: 'PUBLISHER', domain: 'owner.example' }]), [
    'owner',
    'X_RESELLER_NOT_INTERMEDIARY',
  ])
})

test('12030: a DIRECT seller that is neither owner nor manager', () => {
  deepEqual(cross('DIRECT', [{ type: 'PUBLISHER', domain: 'other.example' }]), [
    'reseller',
    'X_DOMAIN_MISMATCH',
  ])
})

test('12020: ids are compared as exact strings', () => {
  for (const id of ['09', ' 9', '9.0'])
    deepEqual(cross('DIRECT', [{ id, domain: 'owner.example' }]), ['unlisted', 'X_ID_NOT_LISTED'])
})

test('12060: an id that stands for two sellers tells nothing; one that is said twice does', () => {
  const seller = { type: 'PUBLISHER', domain: 'owner.example' } as const
  deepEqual(cross('DIRECT', [seller, { ...seller, domain: 'other.example' }]), [
    'unknown',
    'X_ID_NOT_UNIQUE',
  ])
  deepEqual(cross('DIRECT', [seller, seller]), ['owner'])
})

test('what cannot be tested is unknown', () => {
  deepEqual(cross('DIRECT', null), ['unknown', 'X_NO_SELLERS_JSON'])
  deepEqual(cross('DIRECT', [{ confidential: true }]), ['unknown', 'X_CONFIDENTIAL'])
  deepEqual(cross('DIRECT', [{ type: 'PUBLISHER' }]), ['unknown', 'X_DOMAIN_MISSING'])
})

test('every fault has a sentence', () => {
  for (const [code, { says }] of Object.entries(CROSS_FAULTS)) match(says, /^[A-Z].*\.$/, code)
})
