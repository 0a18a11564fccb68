/**
 * A process that keeps bodies without end, for tests to kill: DIRECTORY [COUNT [BYTES]]. Prints each
 * commitment after `put` has answered, so whatever was printed must be there.
 */
import { randomBytes } from 'node:crypto'
import { writeSync } from 'node:fs'
import { fileBodyStore } from '../../src/adapters/bodies/files.ts'
import { E } from '../../src/kernel/fp.ts'

const [directory, count = 'Infinity', bytes = '200000'] = process.argv.slice(2)
if (directory === undefined) throw new Error('usage: body-writer.ts DIRECTORY [COUNT [BYTES]]')
const store = await fileBodyStore(directory, randomBytes)()
if (E.isLeft(store)) throw new Error(store.left.because)
for (let n = 0; n < Number(count); n += 1) {
  const kept = await store.right.put(randomBytes(Number(bytes)))()
  writeSync(1, `${E.isLeft(kept) ? kept.left.because : kept.right}\n`)
}
