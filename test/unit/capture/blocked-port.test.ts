import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBlockedPort } from '../../../src/capture/blocked-port.ts'
import { url } from '../../support/fetching.ts'

test('ports of mail, shells, chat and none at all are blocked, whatever the scheme', () => {
  for (const port of [0, 22, 25, 6667, 10_080])
    for (const scheme of ['http', 'https'])
      assert.equal(isBlockedPort(url(`${scheme}://shop.example:${port}/`)), true, String(port))
})

test('web servers’ ports are not blocked, the other scheme’s own and high ones included', () => {
  for (const address of [
    'http://shop.example/',
    'https://shop.example/',
    'http://shop.example:443/',
    'https://shop.example:80/',
    'https://shop.example:8443/',
    'http://[2001:db8::7]:8080/',
    'https://shop.example:65535/',
  ])
    assert.equal(isBlockedPort(url(address)), false, address)
})
