import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import {
  projectionNamed,
  publisherList,
  robotsState,
  runSummary,
} from '../../../projections/index.ts'
import type { Projection, Row } from '../../../projections/projection.ts'
import { History, url } from '../../support/history.ts'
import { foldAll } from '../../support/projecting.ts'

const rowsOf = (projection: Projection, key: string, { recorded }: History): readonly Row[] =>
  projection.rowsOf(foldAll(projection, key, recorded))

test('PR16 publisher-list: every site traces to the seller entries that named it', () => {
  const history = new History()
  const request = history.request(
    { site: 'network.test', purpose: 'sellers-json' },
    url('https://network.test/sellers.json'),
    0,
    { tag: 'answer', status: 200, body: '{}' },
  )
  const naming = { source: 'n', request, index: 4, sellerId: '77', domain: 'One.example' }
  const first = history.list('one.example', [naming])
  const last = history.list('one.example', [naming, { ...naming, index: 9 }])
  const [row] = rowsOf(publisherList, 'plain-reckoner/one.example', history)
  deepEqual(
    [row?.['namings'], row?.['first_position'], row?.position, row?.['programme'], row?.['site']],
    [2, first, last, 'plain-reckoner', 'one.example'],
  )
  deepEqual(row?.['named_by'], [naming, { ...naming, index: 9 }])
})

test('PR16 publisher-list: two programmes list one site each by itself', () => {
  const history = new History()
  history.list('one.example', [])
  deepEqual(
    history.recorded.flatMap((event) => publisherList.keysOf(event)),
    ['plain-reckoner/one.example'],
  )
})

test('PR14 robots-state: an access lasts until another, and the one before is remembered', () => {
  const history = new History()
  const first = history.robotsRead('one.example', 'rules')
  history.robotsRead('one.example', 'rules')
  const [steady] = rowsOf(robotsState, 'https://one.example', history)
  deepEqual(
    [steady?.['access'], steady?.['since_position'], steady?.['previous_access']],
    ['rules', first, null],
  )
  const down = history.robotsRead('one.example', 'unreachable')
  const [row] = rowsOf(robotsState, 'https://one.example', history)
  deepEqual(
    [row?.['access'], row?.['since_position'], row?.position, row?.['previous_access']],
    ['unreachable', down, down, 'rules'],
  )
  equal(row?.['previous_position'], first)
  equal(row?.['site'], 'one.example')
})

test('CL1 run-summary: a run is running until its RunEnded says how it went', () => {
  const history = new History()
  const started = history.startRun('run-7')
  const [running] = rowsOf(runSummary, 'run-7', history)
  deepEqual([running?.['status'], running?.['started_position']], ['running', started])
  const ended = history.endRun('interrupted')
  const [row] = rowsOf(runSummary, 'run-7', history)
  deepEqual(
    [row?.['status'], row?.['ended_position'], row?.position],
    ['interrupted', ended, ended],
  )
})

test('a projection is found by its name, and nothing by another', () => {
  equal(projectionNamed('run-summary'), runSummary)
  equal(projectionNamed('nothing'), undefined)
})
