import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { test } from 'node:test'
import { publicLookup } from '../../../../src/adapters/http/connection.ts'

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
  ])
    for (const answers of [[hidden], ['8.8.8.8', hidden], [hidden, '8.8.8.8']])
      assert.equal((await answerTo(answers)).code, 'ADDRESS_REFUSED', answers.join(' '))
})

test('a lookup’s own error passes through', async () => {
  const error = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  assert.equal((await answerTo([], error)).code, 'ENOTFOUND')
})
