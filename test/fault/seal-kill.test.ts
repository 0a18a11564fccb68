/** kill -9 at every step of a sealing: afterwards the log signs on, and no size ever has two heads. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse, t } from '../../src/kernel/codec.ts'
import { parseHead, signersOf } from '../../src/ledger/tlog/head.ts'
import { right } from '../support/either.ts'
import { naiveRoot } from '../support/naive-tree.ts'
import { ORIGIN, type SealedLedger, sealedLedger } from '../support/sealing.ts'

const PROGRAM = join(import.meta.dirname, '../support/sealing-process.ts')
const STEPS = [
  'before commit',
  'after read',
  'before create',
  'after create',
  'before leaves',
  'after leaves',
  'before write',
  'after write',
  'before add',
  'after add',
  'before retire',
  'after retire',
  'after commit',
]

/** Heads that a process printed before it died at `step` of its last round. */
const dying = async (
  log: SealedLedger,
  step: string,
  rounds: number,
): Promise<readonly string[]> => {
  const args = [PROGRAM, JSON.stringify(log.settings), log.data, step, String(rounds)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await once(child, 'close')
  // A key is made once only: later processes have nothing to die at there.
  equal(child.signalCode, step.endsWith('create') && rounds > 1 ? null : 'SIGKILL', step)
  const heads = output.split('\n').slice(0, -1)
  return heads.map((line) => right(parse('note', t.string, JSON.parse(line))))
}

for (const step of STEPS)
  test(`kill -9 ${step}`, async (t) => {
    const log = await sealedLedger(t)
    const seen = new Map<number, string>()
    const keep = (note: string): void => {
      const { size } = right(parseHead(note))
      ok(seen.get(size) === undefined || seen.get(size) === note, `two heads of size ${size}`)
      seen.set(size, note)
    }
    for (const rounds of [1, 2, 3]) {
      for (const note of await dying(log, step, rounds)) keep(note)
      const note = right(await log.tlog.lastSigned.read()())
      if (note !== undefined) keep(note)
    }
    const sealed = await log.seal()
    ok('head' in sealed)
    keep(sealed.head.note)
    const stored = right(await log.tlog.tree.stored(0, 10_000)())
    const keys = right(await log.tlog.keys.list(ORIGIN)())
    equal(keys.length, 1)
    equal(sealed.head.size, stored.length)
    const heads = right(await log.tlog.tree.after(0, 1_000)())
    // Everything that anybody saw is a head of this log, and each is the tree of its size.
    deepEqual(
      new Map(heads.map(({ size, note }) => [size, note])),
      new Map([...seen].toSorted(([a], [b]) => a - b)),
    )
    for (const { note, size } of heads) {
      const head = right(parseHead(note))
      equal(
        right(
          signersOf(
            head.note,
            keys.map(({ key }) => key),
          ),
        ).length,
        1,
      )
      deepEqual(head.root, naiveRoot(stored.slice(0, size).map(({ leaf }) => leaf)))
    }
    await log.close()
  })
