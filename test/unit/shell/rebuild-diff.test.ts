import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { adsTxtState, requestLog } from '../../../projections/index.ts'
import { E } from '../../../src/kernel/fp.ts'
import { adoptReader, turnOf } from '../../../src/shell/projecting/adopt-reader.ts'
import { catchUp } from '../../../src/shell/projecting/catch-up.ts'
import type { ProjectionPorts } from '../../../src/shell/projecting/folding.ts'
import { rebuild } from '../../../src/shell/projecting/rebuild.ts'
import { rowsAt } from '../../../src/shell/projecting/rows-at.ts'
import { recordingLedger } from '../../support/adopting.ts'
import { left, right } from '../../support/either.ts'
import { History } from '../../support/history.ts'
import { contentsOf, portsOf } from '../../support/projecting.ts'
import { changesOf, withLenientAdsTxt } from '../../support/reader-fix.ts'

const asked = { site: 'one.example', purpose: 'ads-txt' as const }
const file = (body: string) => ({ tag: 'answer' as const, status: 200, body, type: 'text/plain' })

/** A semicolon for a comma: version 1 finds a fault, the test's version 2 a record. */
const BROKEN = 'ads.example, 1, DIRECT\nother.example; 2; RESELLER\n'

const built = async () => {
  const history = new History()
  history.fetch({ ...asked, site: 'same.example' }, file('ads.example, 1, DIRECT\n'))
  const broken = history.fetch(asked, file(BROKEN))
  const ports = portsOf(history)
  right(await catchUp(ports)(adsTxtState)())
  return { history, broken, ports, fixed: withLenientAdsTxt(ports) }
}

test('a fixed reader: exactly the facts of the file it reads otherwise, with what they rest on', async () => {
  const { broken, fixed } = await built()
  const { changes, compared } = await changesOf(fixed, adsTxtState)
  deepEqual(
    changes.map(({ key, column }) => [key, column]),
    ['faults', 'fault_list', 'records', 'reading'].map((column) => ['one.example', column]),
  )
  const records = changes.find(({ column }) => column === 'records')
  deepEqual([records?.before, records?.after, records?.row], [1, 2, 'changed'])
  equal(records?.rests.after?.['position'], broken)
  ok(typeof records?.rests.after?.['commit'] === 'string')
  deepEqual(compared, { facts: changes.length, rows: 1 })
})

test('an identical rebuild: no fact changed', async () => {
  const { ports } = await built()
  const { changes, compared } = await changesOf(ports, adsTxtState)
  deepEqual([changes, compared], [[], { facts: 0, rows: 0 }])
})

test('another version that reads the same: its name is no fact', async () => {
  const { ports } = await built()
  const renamed = ports.readers.map((one) => ({ ...one, version: 2 }))
  const { changes } = await changesOf(
    { ...ports, readers: [...ports.readers, ...renamed] },
    adsTxtState,
  )
  deepEqual(changes, [])
})

test('what has happened since the live table was folded is no change', async () => {
  const { history, fixed, ports } = await built()
  history.fetch({ ...asked, site: 'later.example' }, file(BROKEN))
  const { changes, rebuilt } = await changesOf(fixed, adsTxtState)
  deepEqual([...new Set(changes.map(({ key }) => key))], ['one.example'])
  equal(rebuilt.live.checkpoint, history.recorded.length)
  const rows = right(await ports.store.readRows(adsTxtState, { limit: 10 })()).rows
  deepEqual(
    rows.map((row) => [row['site'], row['records']]),
    [
      ['later.example', 2],
      ['one.example', 2],
      ['same.example', 1],
    ],
  )
})

test('the live table moves on while the shadow is built, and both are compared where it then stands', async () => {
  const { history, ports, fixed } = await built()
  let moved = false
  const onProgress = async (): Promise<void> => {
    if (moved) return
    moved = true
    history.fetch({ ...asked, site: 'later.example' }, file(BROKEN))
    right(await catchUp(ports)(adsTxtState)())
  }
  let started: Promise<void> | undefined
  const { changes } = await changesOf(fixed, adsTxtState, {
    onProgress: () => {
      started ??= onProgress()
    },
  })
  await started
  const keys = [...new Set(changes.map(({ key }) => key))]
  ok(keys.includes('one.example'))
  ok(!keys.includes('same.example'))
  ok(changes.every(({ row }) => row === 'changed'))
})

test('a dry run lists the same, leaves the live rows as they are, and no shadow behind', async () => {
  const { fixed } = await built()
  const before = await contentsOf(fixed.store, adsTxtState)
  const dry = await changesOf(fixed, adsTxtState, { keep: true })
  deepEqual(await contentsOf(fixed.store, adsTxtState), before)
  const places = right(await fixed.store.status()()).map(({ place }) => place)
  deepEqual(places, ['live'])
  deepEqual((await changesOf(fixed, adsTxtState)).changes, dry.changes)
})

test('the program learns a new version: facts stay until a rebuild adopts it', async () => {
  const { fixed } = await built()
  equal(right(await catchUp(fixed)(adsTxtState)()).reader, 'ads-txt@1')
  const turn = right(await turnOf(fixed)(adsTxtState)())
  deepEqual([turn.from, turn.to], ['ads-txt@1', 'ads-txt@2'])
})

const adopting = async (ports: ProjectionPorts, history: History, wanted?: string) => {
  const turn = right(await turnOf(ports)(adsTxtState, wanted)())
  const who = { by: 'A. Operator', reason: 'a semicolon' }
  const adopter = { ledger: recordingLedger(history), run: 'run-1', ...who }
  return right(await rebuild(ports)(turn.projection, { adopt: adoptReader(adopter, turn) })())
}

test('a rebuild that takes another version records it, and from then on it is in force', async () => {
  const { history, fixed } = await built()
  const { live } = await adopting(fixed, history)
  equal(live.reader, 'ads-txt@2')
  deepEqual(history.recorded.at(-1)?.event, {
    type: 'ReaderAdopted',
    v: 1,
    projection: 'ads-txt-state',
    projectionVersion: 1,
    reader: 'ads-txt@2',
    before: 'ads-txt@1',
    by: 'A. Operator',
    reason: 'a semicolon',
  })
  const length = history.recorded.length
  await adopting(fixed, history)
  equal(history.recorded.length, length)
  const lost = withLenientAdsTxt(portsOf(history))
  equal(right(await catchUp(lost)(adsTxtState)()).reader, 'ads-txt@2')
  const at = right(await rowsAt(lost)(adsTxtState, { position: length })())
  equal(at.rows[0]?.['records'], 2)
})

test('an older version can be run again: back and forth gives the first rows, bit for bit', async () => {
  const { history, fixed } = await built()
  const before = await contentsOf(fixed.store, adsTxtState)
  await adopting(fixed, history)
  const { live } = await adopting(fixed, history, 'ads-txt@1')
  equal(live.reader, 'ads-txt@1')
  deepEqual(await contentsOf(fixed.store, adsTxtState), before)
  equal(right(await catchUp(fixed)(adsTxtState)()).generation, live.generation)
})

test('a crash between record and swap: the next catching up makes what was adopted', async () => {
  const { history, fixed } = await built()
  history.adoptReader('ads-txt-state', 'ads-txt@2', 'ads-txt@1')
  equal(right(await catchUp(fixed)(adsTxtState)()).reader, 'ads-txt@2')
  history.adoptReader('ads-txt-state', 'ads-txt@1', 'ads-txt@2')
  equal(right(await catchUp(fixed)(adsTxtState)()).reader, 'ads-txt@1')
})

test('a reader that is not there, or for a projection that reads nothing, is refused by name', async () => {
  const { fixed } = await built()
  deepEqual(left(await turnOf(fixed)(adsTxtState, 'ads-txt@9')()), {
    tag: 'WrongUse',
    because: 'ads-txt-state cannot be read with ads-txt@9; there are ads-txt@1, ads-txt@2',
  })
  deepEqual(left(await turnOf(fixed)(requestLog, 'ads-txt@1')()), {
    tag: 'WrongUse',
    because: 'request-log reads no files: it has no reader to choose',
  })
})

test('a failing comparison leaves the live rows', async () => {
  const { fixed } = await built()
  const before = await contentsOf(fixed.store, adsTxtState)
  const turn = right(await turnOf(fixed)(adsTxtState)())
  const compare = () => async () => E.left({ tag: 'Unavailable' as const, because: 'gone' })
  equal(left(await rebuild(fixed)(turn.projection, { compare })()).tag, 'Unavailable')
  deepEqual(await contentsOf(fixed.store, adsTxtState), before)
})
