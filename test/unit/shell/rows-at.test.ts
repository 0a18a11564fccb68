import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { adsTxtState, PROJECTIONS, siteCooldown } from '../../../projections/index.ts'
import { canonicalJson } from '../../../src/kernel/canonical-json.ts'
import { instant } from '../../../src/kernel/instant.ts'
import { catchUp } from '../../../src/shell/projecting/catch-up.ts'
import { rowsAt } from '../../../src/shell/projecting/rows-at.ts'
import { anyHistory } from '../../support/arbitraries/events.ts'
import { right } from '../../support/either.ts'
import { History, site } from '../../support/history.ts'
import { contentsOf, portsOf } from '../../support/projecting.ts'
import { fc } from '../../support/property.ts'

const asked = { site: 'one.example', purpose: 'ads-txt' as const }
const file = (body: string) => ({ tag: 'answer' as const, status: 200, body, type: 'text/plain' })

test('CL6 the state at a position or a time is the state as it was then', async () => {
  const history = new History()
  const first = history.fetch(asked, file('ads.example, 1, DIRECT\n'))
  const then = history.recorded[first - 1]?.ts ?? instant(0)
  const second = history.fetch(asked, { tag: 'answer', status: 404, body: '' })
  const ports = portsOf(history)
  const at = async (moment: Parameters<ReturnType<typeof rowsAt>>[1]) =>
    right(await rowsAt(ports)(adsTxtState, moment, site('one.example'))()).rows.map(
      (row) => row['state'],
    )
  deepEqual(await at({ position: first - 1 }), [])
  deepEqual(await at({ position: first }), ['ok'])
  deepEqual(await at({ ts: then }), ['ok'])
  deepEqual(await at({ position: second }), ['none'])
  deepEqual(await at({ position: 1_000_000 }), ['none'])
})

test('CL6 of one site only its rows are given', async () => {
  const history = new History()
  for (const name of ['one.example', 'two.example'])
    history.fetch({ ...asked, site: name }, { tag: 'failure', reason: 'dns' })
  const { rows } = right(
    await rowsAt(portsOf(history))(siteCooldown, { position: 100 }, site('two.example'))(),
  )
  deepEqual(
    rows.map((row) => row['site']),
    ['two.example'],
  )
})

for (const projection of PROJECTIONS)
  test(`CL6 ${projection.name}: at any position it is what catching up to there gave`, async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, fc.nat(), async (history, cut) => {
        const position = history.recorded.length === 0 ? 0 : cut % history.recorded.length
        const then = portsOf(history, undefined, () => position)
        right(await catchUp(then)(projection)())
        const expected = (await contentsOf(then.store, projection)).rows
        const all = right(await rowsAt(portsOf(history))(projection, { position })())
        deepEqual(
          all.rows.map((row) => canonicalJson(row)),
          expected,
        )
        if (!projection.table.columns.includes('site')) return
        for (const name of new Set(all.rows.map((row) => row['site']))) {
          if (typeof name !== 'string') continue
          const one = right(await rowsAt(portsOf(history))(projection, { position }, site(name))())
          equal(
            canonicalJson(one.rows),
            canonicalJson(all.rows.filter((row) => row['site'] === name)),
          )
        }
      }),
    )
  })
