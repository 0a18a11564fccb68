import assert from 'node:assert/strict'
import diagnostics from 'node:diagnostics_channel'
import type { LookupAddress } from 'node:dns'
import net from 'node:net'
import { test, type TestContext } from 'node:test'
import tls from 'node:tls'
import { openConnection, publicLookup } from '../../../../src/adapters/http/connection.ts'
import { url } from '../../../support/fetching.ts'

const answerTo = (
  addresses: readonly string[],
  error: NodeJS.ErrnoException | null = null,
): Promise<{ code: string | undefined; addresses: unknown }> =>
  new Promise((resolve) => {
    const lookup = publicLookup((_host, options, callback) => {
      assert.equal(options.all, true)
      const found: LookupAddress[] = addresses.map((address) => ({
        address,
        family: address.includes(':') ? 6 : 4,
      }))
      callback(error, found)
    })
    lookup('shop.example', { all: true }, (failure, found) =>
      resolve({ code: failure?.code, addresses: found }),
    )
  })

test('SSRF: a name whose addresses are all public resolves to all of them', async () => {
  assert.deepEqual(await answerTo(['8.8.8.8', '2606:4700::1111']), {
    code: undefined,
    addresses: [
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ],
  })
})

test('SSRF: one address that is not public refuses the whole name (rebinding)', async () => {
  for (const hidden of [
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '::1',
    '::ffff:10.0.0.1',
    'fe80::1%2',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    'fd00::1',
    'ff02::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    'not an address',
  ])
    for (const answers of [[hidden], ['8.8.8.8', hidden], [hidden, '8.8.8.8']])
      assert.equal((await answerTo(answers)).code, 'ADDRESS_REFUSED', answers.join(' '))
})

test('a lookup’s own error passes through', async () => {
  const error = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  assert.equal((await answerTo([], error)).code, 'ENOTFOUND')
})

/** Lets every connection of this process fail before it leaves: with ERR_IP_BLOCKED. */
const fenceOff = (context: TestContext): void => {
  const everywhere = new net.BlockList()
  everywhere.addSubnet('0.0.0.0', 0, 'ipv4')
  everywhere.addSubnet('::', 0, 'ipv6')
  const fence = (message: unknown): void => {
    // Node documents the message's shape; `blockList` is what the option of that name sets.
    const { socket } = message as { readonly socket: net.Socket & { blockList: net.BlockList } }
    socket.blockList = everywhere
  }
  diagnostics.subscribe('net.client.socket', fence)
  context.after(() => diagnostics.unsubscribe('net.client.socket', fence))
}

const connect = (address: string, lookup: net.LookupFunction): Promise<string | undefined> =>
  new Promise((resolve) => {
    const route = { url: url(address), endpoint: undefined, lookup, secureContext }
    openConnection(
      route,
      () => resolve('connected'),
      (error) => resolve('code' in error ? String(error.code) : error.name),
    )
  })
const secureContext = tls.createSecureContext()

test('SSRF: a name is looked up once, and connected to is what was checked (rebinding)', async (t) => {
  fenceOff(t)
  for (const scheme of ['http', 'https']) {
    const answers = ['192.0.1.1', '127.0.0.1']
    let lookups = 0
    const lookup = publicLookup((_host, _options, callback) => {
      const address = answers[lookups] ?? '127.0.0.1'
      lookups += 1
      setImmediate(callback, null, [{ address, family: 4 }])
    })
    // The resolver would now say 127.0.0.1; whoever asked it again would connect to that.
    assert.equal(await connect(`${scheme}://shop.example/`, lookup), 'ERR_IP_BLOCKED')
    assert.equal(lookups, 1)
    assert.equal(await connect(`${scheme}://shop.example/`, lookup), 'ADDRESS_REFUSED')
    assert.equal(lookups, 2)
  }
})

test('SSRF: public and other addresses mixed: nothing is connected to', async (t) => {
  fenceOff(t)
  const lookup = publicLookup((_host, _options, callback) =>
    setImmediate(callback, null, [
      { address: '192.0.1.1', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ]),
  )
  assert.equal(await connect('https://shop.example/', lookup), 'ADDRESS_REFUSED')
})

test('SSRF: a literal address and a blocked port are refused before anything is looked up', async (t) => {
  fenceOff(t)
  const lookup: net.LookupFunction = () => assert.fail('looked up')
  const addresses = ['127.1', '0x7f.1', '0177.0.0.1', '2130706433', '10.0.0.1.', '[::ffff:a00:1]']
  for (const host of addresses)
    assert.equal(await connect(`http://${host}/`, lookup), 'ADDRESS_REFUSED', host)
  for (const port of [0, 25, 6667])
    for (const host of ['shop.example', '192.0.1.1'])
      assert.equal(await connect(`http://${host}:${port}/`, lookup), 'ADDRESS_REFUSED', host)
})

test('nodejs/node#54359: each of several addresses is given time to answer', (t) => {
  const taken: net.TcpNetConnectOpts[] = []
  const neither = (): void => assert.fail('nothing was connected to')
  const take = (options: net.TcpNetConnectOpts): net.Socket => {
    taken.push(options)
    return new net.Socket()
  }
  t.mock.method(net, 'connect', take)
  t.mock.method(tls, 'connect', take)
  for (const scheme of ['http', 'https']) {
    const route = { url: url(`${scheme}://shop.example/`), endpoint: undefined, secureContext }
    openConnection({ ...route, lookup: publicLookup() }, neither, neither)
  }
  assert.deepEqual(
    taken.map(({ autoSelectFamily }) => autoSelectFamily),
    [true, true],
  )
  assert.ok(
    taken.every(
      ({ autoSelectFamilyAttemptTimeout }) => (autoSelectFamilyAttemptTimeout ?? 0) >= 1_000,
    ),
  )
})
