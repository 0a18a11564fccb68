import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  endpointFor,
  joinResolve,
  parseResolveFile,
  parseResolveRules,
  type ResolveMap,
} from '../../../../src/adapters/http/resolve.ts'
import { describeParseFailure } from '../../../../src/kernel/codec.ts'
import { left, right } from '../../../support/either.ts'
import { url } from '../../../support/fetching.ts'

const portFor = (map: ResolveMap, address: string): number | undefined =>
  endpointFor(map, url(address))?.port

test('--resolve: the most specific rule wins, whatever the order', () => {
  const map = right(
    parseResolveRules([
      '*=127.0.0.1:4',
      '*:8080=127.0.0.1:3',
      'shop.example=127.0.0.1:2',
      'shop.example:8080=127.0.0.1:1',
    ]),
  )
  assert.equal(portFor(map, 'http://shop.example:8080/'), 1)
  assert.equal(portFor(map, 'https://shop.example/'), 2)
  assert.equal(portFor(map, 'http://other.example:8080/'), 3)
  assert.equal(portFor(map, 'https://other.example/'), 4)
})

test('--resolve: default ports are the scheme’s', () => {
  const map = right(
    parseResolveRules(['shop.example:443=127.0.0.1:1', 'shop.example:80=127.0.0.1:2']),
  )
  assert.equal(portFor(map, 'https://shop.example/'), 1)
  assert.equal(portFor(map, 'http://shop.example/'), 2)
  assert.equal(portFor(map, 'http://shop.example:8000/'), undefined)
})

test('--resolve: hosts are read as URLs read them, IPv6 on both sides in brackets', () => {
  const map = right(parseResolveRules(['SHOP.Example=[::1]:1', 'straße.example=127.0.0.1:2']))
  assert.deepEqual(endpointFor(map, url('https://shop.example/')), { address: '::1', port: 1 })
  assert.equal(portFor(map, 'https://xn--strae-oqa.example/'), 2)
  const six = right(parseResolveRules(['[2001:DB8:0::1]:80=127.0.0.1:3']))
  assert.equal(portFor(six, 'http://[2001:db8::1]/'), 3)
})

test('--resolve: the dot of a full name makes no other host, neither in a rule nor in a URL', () => {
  const map = right(parseResolveRules(['shop.example=127.0.0.1:1', 'full.example.=127.0.0.1:2']))
  assert.equal(portFor(map, 'https://shop.example./'), 1)
  assert.equal(portFor(map, 'https://full.example/'), 2)
  assert.equal(portFor(map, 'https://full.example./'), 2)
})

test('--resolve: an IPv6 host in any spelling, with a port or without, to IPv4 or IPv6', () => {
  const map = right(
    parseResolveRules(['[2001:DB8::0:7]:8080=127.0.0.1:1', '[2001:db8::7]=[::1]:2', '*=[::1]:3']),
  )
  assert.equal(portFor(map, 'http://[2001:db8:0:0::7]:8080/'), 1)
  assert.deepEqual(endpointFor(map, url('https://[2001:db8::7]/')), { address: '::1', port: 2 })
  assert.equal(portFor(map, 'https://[2001:db8::8]/'), 3)
})

test('--resolve: what cannot be read is refused with what was expected', () => {
  const message = (rule: string) => describeParseFailure(left(parseResolveRules([rule])))
  for (const rule of [
    '',
    'shop.example',
    '=127.0.0.1:1',
    'a b=127.0.0.1:1',
    'x=127.0.0.1',
    'x=::1:1',
  ])
    assert.match(message(rule), /HOST\[:PORT\]=ADDRESS:PORT/, rule)
  for (const rule of ['.=127.0.0.1:1', 'a..b=127.0.0.1:1', '[::1=127.0.0.1:1', '[a]=127.0.0.1:1'])
    assert.match(message(rule), /HOST|a host name/, rule)
  assert.match(message('x=127.0.0.1:0'), /ports from 1 to 65535/)
  assert.match(message('x:70000=127.0.0.1:1'), /ports from 1 to 65535/)
  assert.match(message('x=999.0.0.1:1'), /an IP address/)
  assert.match(message('x=[127.0.0.1]:1'), /an IP address/)
  assert.match(message('x=localhost:1'), /HOST\[:PORT\]=ADDRESS:PORT/)
})

test('--resolve-file: one rule a line, comments and empty lines; a failure names file and line', () => {
  const map = right(
    parseResolveFile(
      'hosts',
      '# rehearsal\r\n\r\nshop.example=127.0.0.1:1 # the shop\n*=127.0.0.1:2',
    ),
  )
  assert.equal(portFor(map, 'https://shop.example/'), 1)
  assert.equal(portFor(map, 'https://other.example/'), 2)
  const failure = left(parseResolveFile('hosts', '\nshop.example'))
  assert.match(describeParseFailure(failure), /^hosts, line 2: /)
})

test('rules of a later source replace those of an earlier one for the same place', () => {
  const first = right(parseResolveRules(['a.example=127.0.0.1:1', 'b.example=127.0.0.1:2']))
  const second = right(parseResolveRules(['a.example=127.0.0.1:3']))
  const joined = joinResolve(first, second)
  assert.equal(portFor(joined, 'http://a.example/'), 3)
  assert.equal(portFor(joined, 'http://b.example/'), 2)
})
