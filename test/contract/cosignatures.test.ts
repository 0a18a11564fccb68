/** Where cosignatures stand: kept once each, found by quorum, never changed. */
import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { postgresCosignatures } from '../../src/adapters/postgres/cosignatures.ts'
import type { Cosignature } from '../../src/ledger/tlog/cosignature.ts'
import { execute, testDatabase } from '../support/database.ts'
import { right } from '../support/either.ts'

const of = (size: number, key: string, time: number): Cosignature => ({
  size,
  key,
  time,
  signature: Buffer.alloc(64, time),
})

test('every cosignature is kept, once, and comes back in order', async () => {
  const { database, close } = await testDatabase()
  const store = postgresCosignatures(database)
  const all = [of(5, 'a', 10), of(5, 'a', 12), of(5, 'b', 11), of(9, 'a', 20)]
  for (const one of all.toReversed()) right(await store.add(one)())
  right(await store.add({ ...of(5, 'a', 10), signature: Buffer.alloc(64, 99) })())
  deepEqual(right(await store.of(5)()), all.slice(0, 3))
  deepEqual(right(await store.newestBy('a')()), all[3])
  deepEqual(right(await store.newestBy('b')()), all[2])
  equal(right(await store.newestBy('c')()), undefined)
  const pages: Cosignature[] = []
  for (let last = of(0, '', 0); ;) {
    const [next] = right(await store.page(last, 1)())
    if (next === undefined) break
    last = next
    pages.push(next)
  }
  deepEqual(
    pages,
    all.map((one) => ({ ...one, note: undefined })),
  )
  await close()
})

test('heads are found by the quorum that they have, and had at a time', async () => {
  const { database, close } = await testDatabase()
  const store = postgresCosignatures(database)
  for (const one of [
    of(3, 'a', 10),
    of(3, 'a', 11),
    of(5, 'a', 12),
    of(5, 'b', 30),
    of(8, 'b', 31),
    of(8, 'x', 32),
    of(9, 'a', 33),
    of(9, 'b', 33),
  ])
    right(await store.add(one)())
  const keys = ['a', 'b', 'c']
  const smallest = async (least: number, from: number) =>
    right(await store.smallest({ keys, least }, from)())
  const largest = async (least: number, size: number, time: number) =>
    right(await store.largest({ keys, least }, { size, time })())
  deepEqual(await Promise.all([smallest(1, 1), smallest(2, 1), smallest(2, 6), smallest(3, 1)]), [
    3,
    5,
    9,
    undefined,
  ])
  deepEqual(
    await Promise.all([largest(1, 8, 99), largest(2, 8, 99), largest(2, 8, 29), largest(1, 8, 29)]),
    [8, 5, undefined, 5],
  )
  await close()
})

test('CL1: nobody changes or takes away a cosignature', async () => {
  const { database, settings, close } = await testDatabase()
  right(await postgresCosignatures(database).add(of(5, 'a', 10))())
  for (const statement of [
    'update cosignature set time = 11',
    'delete from cosignature',
    'truncate cosignature',
  ]) {
    await rejects(execute(settings, statement), { code: '55000' })
    await rejects(
      database.connect('crawl_ledger_writer').then((client) => client.query(statement)),
      { code: '42501' },
    )
  }
  await close()
})
