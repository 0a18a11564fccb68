import { deepEqual, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { PROJECTIONS } from '../../../projections/index.ts'
import { canonicalJson } from '../../../src/kernel/canonical-json.ts'
import { position } from '../../../src/kernel/position.ts'
import { decodeEntry } from '../../../src/ledger/entry.ts'
import { right } from '../../support/either.ts'
import { filesOf, projectRoot } from '../../support/sources.ts'

const recorded = filesOf('schema/events/*/v*.json').map((path, i) => {
  const { event, envelope } = right(decodeEntry(readFileSync(resolve(projectRoot, path))))
  return { path, event, ...envelope, position: position(i + 1) }
})

for (const projection of PROJECTIONS)
  test(`CL2 ${projection.name}: its fold bears every frozen event, of its own key and of any other`, () => {
    ok(recorded.length > 30, `${recorded.length} frozen events`)
    const readings = [undefined, { reader: 'x@1', unread: 'body-missing' as const }]
    const own = recorded.flatMap((event) => projection.keysOf(event))
    for (const key of own.length === 0 ? ['https://network.test/sellers.json'] : new Set(own))
      for (const reading of readings) {
        let state = projection.initial(key)
        for (const event of recorded) {
          const alone = projection.fold(projection.initial(key), { recorded: event, reading })
          canonicalJson(alone)
          projection.rowsOf(alone)
          state = projection.fold(state, { recorded: event, reading })
          canonicalJson(state)
        }
        for (const row of projection.rowsOf(state))
          deepEqual(Object.keys(row).sort(), [...projection.table.columns].sort())
      }
    // It looks at some of them: one without any would bear everything.
    ok(recorded.some(({ event }) => projection.interestedIn.includes(event.type)))
  })
