import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AddressKind,
  isPublicAddress,
  kindOfAddress,
  literalAddressOf,
} from '../../../src/capture/address.ts'
import { url } from '../../support/fetching.ts'

const KINDS: readonly (readonly [address: string, kind: AddressKind])[] = [
  ['8.8.8.8', 'public'],
  ['1.1.1.1', 'public'],
  ['0.0.0.0', 'unspecified'],
  ['0.255.255.255', 'unspecified'],
  ['1.0.0.0', 'public'],
  ['9.255.255.255', 'public'],
  ['10.0.0.0', 'private'],
  ['10.255.255.255', 'private'],
  ['11.0.0.0', 'public'],
  ['100.63.255.255', 'public'],
  ['100.64.0.0', 'shared'],
  ['100.127.255.255', 'shared'],
  ['100.128.0.0', 'public'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.255', 'loopback'],
  ['128.0.0.0', 'public'],
  ['169.254.169.254', 'link-local'],
  ['172.15.255.255', 'public'],
  ['172.16.0.0', 'private'],
  ['172.31.255.255', 'private'],
  ['172.32.0.0', 'public'],
  ['192.0.0.0', 'reserved'],
  ['192.0.0.255', 'reserved'],
  ['192.0.1.0', 'public'],
  ['192.0.2.1', 'documentation'],
  ['192.88.99.1', 'embedded'],
  ['192.88.100.0', 'public'],
  ['192.167.255.255', 'public'],
  ['192.168.0.0', 'private'],
  ['192.169.0.0', 'public'],
  ['198.17.255.255', 'public'],
  ['198.18.0.0', 'benchmark'],
  ['198.19.255.255', 'benchmark'],
  ['198.20.0.0', 'public'],
  ['198.51.100.7', 'documentation'],
  ['203.0.113.7', 'documentation'],
  ['223.255.255.255', 'public'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['240.0.0.0', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['2606:4700::1111', 'public'],
  ['2a00::1', 'public'],
  ['::', 'unspecified'],
  ['0:0:0:0:0:0:0:0', 'unspecified'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback'],
  ['::127.0.0.1', 'embedded'],
  ['::ffff:127.0.0.1', 'embedded'],
  ['::FFFF:8.8.8.8', 'embedded'],
  ['::ffff:7f00:1', 'embedded'],
  ['::ffff:0:7f00:1', 'embedded'],
  ['64:ff9b::7f00:1', 'embedded'],
  ['64:ff9b:1::a00:1', 'embedded'],
  ['100::1', 'reserved'],
  ['2001::1', 'embedded'],
  ['2001:2::1', 'benchmark'],
  ['2001:10::1', 'reserved'],
  ['2001:1ff:ffff::1', 'reserved'],
  ['2001:200::1', 'public'],
  ['2001:db8::1', 'documentation'],
  ['2002:7f00:1::', 'embedded'],
  ['2003::1', 'public'],
  ['3fff:0fff::1', 'documentation'],
  ['3fff:1000::1', 'public'],
  ['4000::1', 'reserved'],
  ['5f00::1', 'reserved'],
  ['fbff::1', 'reserved'],
  ['fc00::1', 'private'],
  ['fdff:ffff::1', 'private'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local'],
  ['febf::1', 'link-local'],
  ['fec0::1', 'private'],
  ['ff02::1', 'multicast'],
  ['2606:4700::5efe:7f00:1', 'embedded'],
  ['2606:4700::200:5efe:7f00:1', 'embedded'],
]

test('every address range that is not public unicast is told apart, at both ends (SSRF)', () => {
  for (const [address, kind] of KINDS) {
    assert.equal(kindOfAddress(address), kind, address)
    assert.equal(isPublicAddress(address), kind === 'public', address)
  }
})

test('what is no address is never public: names, odd notations, broken IPv6', () => {
  const odd = ['', 'shop.example', '0x7f.1', '2130706433', '127.1', '127.0.0.1.', '08.8.8.8']
  for (const text of [...odd, '256.1.1.1', '1.2.3', ':::', '1::2::3', '[::1]', 'g::1', '::1/128'])
    assert.equal(kindOfAddress(text), 'not-an-address', text)
})

test('a URL’s literal address is found in whatever notation it was written (SSRF)', () => {
  const literal = (text: string) => literalAddressOf(url(text))
  assert.equal(literal('http://0x7f.1/'), '127.0.0.1')
  assert.equal(literal('http://2130706433/'), '127.0.0.1')
  assert.equal(literal('http://017700000001/'), '127.0.0.1')
  assert.equal(literal('http://127.0.0.1./'), '127.0.0.1')
  assert.equal(literal('http://[::ffff:127.0.0.1]/'), '::ffff:7f00:1')
  assert.equal(literal('http://[::1]:8080/'), '::1')
  assert.equal(literal('http://shop.example/'), undefined)
  assert.equal(literal('http://1.example/'), undefined)
})
