/** The writing half of a ledger over a history that is being made. */
import { E } from '../../src/kernel/fp.ts'
import type { Adopter } from '../../src/shell/projecting/adopt-reader.ts'
import { present } from '../../src/kernel/assert.ts'
import type { History } from './history.ts'

export const recordingLedger = (history: History): Adopter['ledger'] => ({
  readStream: (stream, after) => async () =>
    E.right(history.recorded.filter((one) => one.stream === stream).slice(after)),
  append:
    (_, { stream, expectedVersion, events }) =>
    async () => {
      const actual = history.recorded.filter((one) => one.stream === stream).length
      if (actual !== expectedVersion)
        return E.left({ tag: 'Conflict', stream, expected: expectedVersion, actual })
      const positions = events.map((event) => history.append(event, stream))
      const { ts } = present(history.recorded.at(-1), 'just appended')
      return E.right({ positions, version: actual + events.length, ts })
    },
})
