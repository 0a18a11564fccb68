import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import {
  checkSettings,
  connectionOf,
  placeOf,
} from '../../../../src/adapters/postgres/connection.ts'
import { E } from '../../../../src/kernel/fp.ts'

test('the words for a database never hold its password or its user', () => {
  const places = [
    'postgresql://anna:s3cret@db.example:5433/ledger?sslmode=require',
    'postgres://anna:s%40cret@db.example/ledger',
    'postgresql://anna:s3cret@/ledger?host=/run/postgresql',
    'postgresql://anna:s3cret@[2001:db8::7]:5432/ledger',
    'postgresql:///ledger',
  ].map((url) => placeOf({ url }))
  deepEqual(places, [
    'db.example:5433/ledger',
    'db.example/ledger',
    '/run/postgresql/ledger',
    '[2001:db8::7]:5432/ledger',
    'localhost/ledger',
  ])
  equal(
    placeOf({ host: '/data/postgres', port: 5432, user: 'anna', database: 'ledger' }),
    '/data/postgres/ledger',
  )
})

test('settings of the address come before the pinned ones, which so have the last word', () => {
  const url =
    'postgresql://anna:s3cret@db.example/ledger?options=-c%20work_mem%3D8MB&sslmode=disable'
  const { connectionString } = connectionOf({ url }, 'crawl_ledger_writer')
  const options = new URL(connectionString ?? '').searchParams.get('options')
  ok(options?.startsWith('-c work_mem=8MB -c default_transaction_isolation=read\\ committed '))
  ok(options?.endsWith(' -c role=crawl_ledger_writer'))
})

test('a password may hold anything an address can', () => {
  const url = 'postgresql://anna:p+q%2Fr%40s%20t@/ledger?host=/run/postgresql'
  const { connectionString } = connectionOf({ url }, undefined)
  ok(connectionString?.startsWith('postgresql://anna:p+q%2Fr%40s%20t@localhost/ledger?host='))
})

test('only an address of PostgreSQL is one', () => {
  for (const url of ['postgresql://h/d', 'postgres://h/d', 'postgresql:///d'])
    ok(E.isRight(checkSettings({ url })), url)
  for (const url of ['', 'mysql://h/d', 'h/d', 'postgresql', 'https://h/d'])
    ok(E.isLeft(checkSettings({ url })), url)
})
