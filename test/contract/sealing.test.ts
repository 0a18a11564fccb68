/** Sealing: what a head says, when one is refused, and what is kept where. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { E } from '../../src/kernel/fp.ts'
import { logStream } from '../../src/ledger/stream.ts'
import { type Head, parseHead, signersOf } from '../../src/ledger/tlog/head.ts'
import { type Sealed, sealer } from '../../src/shell/tlog/seal.ts'
import { whileSealing } from '../../src/shell/tlog/while-sealing.ts'
import { exitCodeOf, Halt } from '../../src/shell/halt.ts'
import { execute } from '../support/database.ts'
import { right } from '../support/either.ts'
import { RUN } from '../support/ledgers.ts'
import { naiveRoot } from '../support/naive-tree.ts'
import { ORIGIN, type SealedLedger, sealedLedger, tamper, tlogPorts } from '../support/sealing.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const headOf = (sealed: Sealed): Head => {
  ok(sealed.tag === 'Sealed' || sealed.tag === 'Standing', sealed.tag)
  return right(parseHead(sealed.head.note))
}

/** The root as the definition has it, over the bytes that are stored. */
const rootOfStored = async ({ tlog }: SealedLedger, size: number): Promise<Buffer> => {
  const stored = right(await tlog.tree.stored(0, 10_000)())
  return naiveRoot(stored.slice(0, size).map(({ leaf }) => leaf))
}

const halted = async (task: Promise<unknown>, code: number, why: RegExp): Promise<void> =>
  rejects(task, (error) => {
    ok(error instanceof Halt, String(error))
    match(error.message, why)
    equal(exitCodeOf(error.failure), code, error.message)
    return true
  })

test('a head is signed over every entry, by a key that is made on first use and is the owner’s alone', async (t) => {
  const log = await sealedLedger(t)
  const first = headOf(await log.seal())
  equal(first.origin, ORIGIN)
  equal(first.size, 1)
  await log.append(600)
  const sealed = await log.seal()
  equal(sealed.tag, 'Sealed')
  const head = headOf(sealed)
  equal(head.size, 601)
  deepEqual(head.root, await rootOfStored(log, 601))
  const [key] = right(await log.tlog.keys.list(ORIGIN)())
  ok(key)
  deepEqual(right(signersOf(head.note, [key.key])), [{ key: key.key, time: null }])
  equal((await stat(join(log.data, 'signing/1.pem'))).mode & 0o777, 0o600)
  equal((await stat(join(log.data, 'signing'))).mode & 0o777, 0o700)
  equal(right(await log.tlog.lastSigned.read()()), sealed.tag === 'Sealed' && sealed.head.note)
  await log.close()
})

test('the tree is never computed anew: each sealing reads what came since, whatever the sizes', async (t) => {
  const log = await sealedLedger(t)
  const read: [number, number][] = []
  const leaves = (from: number, to: number) => {
    read.push([from, to])
    return log.tlog.tree.leaves(from, to)
  }
  const seal = sealer({ ...log.ports, tree: { ...log.tlog.tree, leaves } })
  const sizes = [1, 3, 259, 260, 511, 515, 771, 1_030]
  for (const size of sizes) {
    if (size > 1) await log.append(size - headOf(await seal()).size)
    deepEqual(headOf(await seal()).root, await rootOfStored(log, size))
  }
  deepEqual(
    read,
    sizes.map((size, i) => [sizes[i - 1] ?? 0, size]),
  )
  // Another process takes the edge up from what is stored: it reads at most the last 255 leaves.
  read.length = 0
  await log.append(5)
  const again = sealer({ ...log.ports, tree: { ...log.tlog.tree, leaves } })
  deepEqual(headOf(await again()).root, await rootOfStored(log, 1_035))
  ok(
    read.every(([from]) => from >= 1_024),
    JSON.stringify(read),
  )
  await log.close()
})

test('what has not grown is not signed again', async (t) => {
  const log = await sealedLedger(t)
  const sealed = await log.seal()
  deepEqual(await log.seal(), { ...sealed, tag: 'Standing' })
  equal(right(await log.tlog.tree.after(0, 10)()).length, 1)
  await log.close()
})

test('many who seal at once make one head a size, each grown out of the one before', async (t) => {
  const log = await sealedLedger(t)
  const others = Array.from({ length: 4 }, () =>
    sealer({ ...tlogPorts(log.database, log.data), ledger: log.ledger }),
  )
  const appending = (async () => {
    for (let i = 0; i < 12; i += 1) await log.append(40)
  })()
  for (let i = 0; i < 8; i += 1) await Promise.all(others.map((seal) => seal()))
  await appending
  await log.seal()
  const heads = right(await log.tlog.tree.after(0, 1_000)())
  equal(heads.at(-1)?.size, 481)
  for (const { note, size } of heads)
    deepEqual(right(parseHead(note)).root, await rootOfStored(log, size))
  await log.close()
})

test('an empty ledger has nothing to sign', async (t) => {
  const log = await sealedLedger(t)
  await tamper(log, 'delete from event')
  deepEqual(await log.seal(), { tag: 'Empty' })
  deepEqual(await readdir(log.data), [])
  await log.close()
})

describe('sealing refuses', () => {
  const refused: readonly (readonly [
    string,
    (log: SealedLedger) => Promise<unknown>,
    number,
    RegExp,
  ])[] = [
    [
      'behind what was signed: an older database',
      (log) =>
        tamper(log, 'delete from event where position > 5', 'delete from head where size > 5'),
      3,
      /position 6: .* signed a head of 9 entries, and the database holds 5.*Restore/,
    ],
    [
      'behind what was signed: an empty database',
      (log) => tamper(log, 'delete from event', 'delete from head'),
      3,
      /position 1: .* signed a head of 9 entries, and the database holds 0/,
    ],
    [
      'over a fork: other entries up to a size already signed',
      async (log) => {
        await tamper(log, 'delete from event where position > 5', 'delete from head where size > 5')
        await execute(
          log.settings,
          `insert into event select position + 1, stream, version + 1, type, ts, replace(convert_from(entry, 'UTF8'), '"version":4', '"version":5')::bytea,
            sha256('\\x00'::bytea || replace(convert_from(entry, 'UTF8'), '"version":4', '"version":5')::bytea) from event where position = 5`,
          ...[6, 7, 8, 9].map(
            (at) =>
              `insert into event select ${at + 1}, stream, version + 1, type, ts, entry, leaf from event where position = ${at}`,
          ),
        )
      },
      3,
      /position 9: the entries do not give the root of the head signed last/,
    ],
    [
      'over an entry that does not fit its leaf',
      async (log) => {
        await log.append(3)
        await tamper(log, `update event set entry = entry || ' ' where position = 11`)
      },
      3,
      /position 11: the entry does not fit its leaf hash/,
    ],
    [
      'over a gap',
      async (log) => {
        await log.append(3)
        await tamper(log, 'delete from event where position = 11')
      },
      3,
      /position 11: the event is missing/,
    ],
    [
      'with a tree that was tampered with',
      (log) =>
        tamper(
          log,
          `update event set entry = 'x', leaf = sha256('\\x00'::bytea || 'x') where position = 9`,
        ),
      3,
      /position 9: the stored tree does not have the root of the newest head/,
    ],
    [
      'after a head by another key',
      (log) =>
        tamper(log, `update head set note = replace(note, 'ledger', 'ledgez') where size = 9`),
      3,
      /position 9: the newest head is not signed by a key of this log/,
    ],
    [
      'without the last-signed store',
      (log) => rm(join(log.data, 'signing/last-signed')),
      4,
      /last-signed is missing.*nobody knows what was signed last/,
    ],
    [
      'without the key',
      async (log) => {
        await log.append(1)
        await rm(join(log.data, 'signing/1.pem'))
      },
      4,
      /key 1 of the log.* missing/,
    ],
    [
      'without any trace of a key',
      async (log) => {
        await rm(join(log.data, 'signing/1.pem'))
        await rm(join(log.data, 'signing/1.vkey'))
      },
      4,
      /the signing key of ledger.example\/crawl is missing/,
    ],
    [
      'with a key that others can read',
      (log) => chmod(join(log.data, 'signing/1.pem'), 0o644),
      4,
      /can be read by others/,
    ],
    [
      'with a key that is none',
      (log) => writeFile(join(log.data, 'signing/1.pem'), 'SECRET', { mode: 0o600 }),
      4,
      /holds no Ed25519 key/,
    ],
    [
      'with a last-signed store that is damaged',
      (log) => writeFile(join(log.data, 'signing/last-signed'), 'x'),
      3,
      /last-signed store holds no signed head/,
    ],
  ]
  for (const [what, harm, code, why] of refused)
    test(`nothing is signed ${what}`, async (t) => {
      const log = await sealedLedger(t)
      await log.append(4)
      await log.seal()
      await log.append(4)
      await log.seal()
      const before = right(await log.tlog.lastSigned.read()())
      await harm(log)
      await halted(sealer(log.ports)(), code, why)
      const after = await log.tlog.lastSigned.read()()
      if (E.isRight(after) && after.right !== 'x' && after.right !== undefined)
        equal(after.right, before)
      await log.close()
    })
})

test('a data directory that does not hold the key leaves signing to the one that does', async (t) => {
  const log = await sealedLedger(t)
  await log.seal()
  await log.append(2)
  const elsewhere = tlogPorts(log.database, await temporaryDirectory(t))
  deepEqual(await sealer({ ...elsewhere, ledger: log.ledger })(), { tag: 'Elsewhere' })
  equal(headOf(await log.seal()).size, 3)
  await log.close()
})

test('a data directory of another log is refused, and left alone', async (t) => {
  const [one, other] = [await sealedLedger(t), await sealedLedger(t)]
  await one.seal()
  await tamper(
    other,
    `update event set entry = replace(convert_from(entry, 'UTF8'), 'example/crawl', 'example/other')::bytea`,
  )
  const mixed = { ...tlogPorts(other.database, one.data), ledger: other.ledger }
  await halted(
    sealer(mixed)(),
    2,
    /signed for the log ledger.example\/crawl, and the database holds ledger.example\/other/,
  )
  await one.close()
  await other.close()
})

test('a data directory older than the database goes on, if the tree grew out of what it signed', async (t) => {
  const log = await sealedLedger(t)
  await log.append(3)
  await log.seal()
  const older = await readFile(join(log.data, 'signing/last-signed'))
  await log.append(300)
  await log.seal()
  await writeFile(join(log.data, 'signing/last-signed'), older)
  await log.append(1)
  equal(headOf(await sealer(log.ports)()).size, 305)
  await log.close()
})

const rotate = async (log: SealedLedger, version: number): Promise<void> => {
  const keys = right(await log.tlog.keys.list(ORIGIN)())
  const next = right(await log.tlog.keys.create(ORIGIN)())
  const event = {
    type: 'KeyRotated',
    v: 1,
    oldKey: keys.at(-1)?.key.vkey ?? '',
    newKey: next.key.vkey,
    by: 'A. Operator',
    note: null,
  } as const
  right(
    await log.ledger.append(RUN, {
      stream: logStream,
      expectedVersion: version,
      events: [event],
    })(),
  )
}

test('a rotated key: both sign the head that covers the change, then the old one cannot sign any more', async (t) => {
  const log = await sealedLedger(t)
  await log.append(2)
  await log.seal()
  await rotate(log, 1)
  const both = headOf(await log.seal())
  await log.append(1)
  const later = headOf(await log.seal())
  const keys = right(await log.tlog.keys.list(ORIGIN)()).map(({ key }) => key)
  equal(keys.length, 2)
  deepEqual(
    right(signersOf(both.note, keys)).map(({ key }) => key),
    keys,
  )
  deepEqual(
    right(signersOf(later.note, keys)).map(({ key }) => key),
    keys.slice(1),
  )
  deepEqual((await readdir(join(log.data, 'signing'))).toSorted(), [
    '1.vkey',
    '2.pem',
    '2.vkey',
    'last-signed',
  ])
  await log.close()
})

test('while a run goes on a head is sealed again and again, and at its end', async (t) => {
  const log = await sealedLedger(t)
  const task = async (): Promise<string> => {
    for (let i = 0; i < 12; i += 1) {
      await log.append(5)
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    return 'done'
  }
  const { result, sealed } = await whileSealing(log.seal, log.tlog.every, task, 30)
  equal(result, 'done')
  equal(headOf(sealed).size, 61)
  ok(right(await log.tlog.tree.after(0, 100)()).length > 3)
  await log.close()
})

test('a run that fails is sealed up to where it came', async (t) => {
  const log = await sealedLedger(t)
  const failing = whileSealing(log.seal, log.tlog.every, async () => {
    await log.append(7)
    throw new Error('no space left')
  })
  await rejects(failing, /no space left/)
  equal(right(await log.tlog.tree.newest()())?.size, 8)
  await log.close()
})

test('a ledger that was set back is not crawled into; one that is changed meanwhile ends the run with a breach', async (t) => {
  const log = await sealedLedger(t)
  await log.append(5)
  await log.seal()
  const waiting = (broken: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (broken.aborted) resolve()
      else broken.addEventListener('abort', () => resolve())
    })
  const running = whileSealing(
    log.seal,
    log.tlog.every,
    async (broken) => {
      await log.append(5)
      await tamper(log, 'delete from event where position > 4')
      await waiting(broken)
    },
    20,
  )
  await halted(running, 3, /set back|missing/)
  let began = false
  await halted(
    whileSealing(sealer(log.ports), log.tlog.every, async () => void (began = true)),
    3,
    /set back/,
  )
  equal(began, false)
  await log.close()
})
