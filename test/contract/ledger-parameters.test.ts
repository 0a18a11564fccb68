/** Arrays as parameters: what PostgreSQL understands is what was meant. */
import { deepEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import {
  byteaArray,
  int4Array,
  int8Array,
  textArray,
} from '../../src/adapters/postgres/append/binary-array.ts'
import { testDatabase } from '../support/database.ts'
import { fc } from '../support/property.ts'

const anyText = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', ''))

test('arrays of every kind arrive as they are, empty ones and nulls too', async () => {
  const { database, close } = await testDatabase()
  const client = await database.connect('crawl_ledger_writer')
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(anyText)),
      fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
      fc.array(fc.option(fc.maxSafeInteger())),
      fc.array(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
      async (texts, small, big, bytes) => {
        const { rows } = await client.query<Record<string, readonly unknown[]>>(
          'select $1::text[] as texts, $2::integer[] as small, $3::bigint[] as big, $4::bytea[] as bytes',
          [textArray(texts), int4Array(small), int8Array(big), byteaArray(bytes)],
        )
        const [row] = rows
        deepEqual(row?.['texts'], texts)
        deepEqual(row?.['small'], small)
        deepEqual(
          row?.['big']?.map((value) => (value === null ? null : Number(value))),
          big,
        )
        deepEqual(row?.['bytes'], bytes)
      },
    ),
    { numRuns: 60 },
  )
  await close()
})

test('a number that does not fit is refused, not cut', () => {
  for (const value of [2 ** 31, -(2 ** 31) - 1, Number.MAX_SAFE_INTEGER])
    throws(() => int4Array([value]), RangeError)
})
