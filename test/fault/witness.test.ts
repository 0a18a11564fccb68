/** Witnesses that are dead, slow or hostile, and processes that die among them: nobody waits for any. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { instant } from '../../src/kernel/instant.ts'
import { isCosignatureOf } from '../../src/ledger/tlog/cosignature.ts'
import type { StoredHead } from '../../src/ledger/tlog/port.ts'
import { whileSealing } from '../../src/shell/tlog/while-sealing.ts'
import { witnessing } from '../../src/shell/tlog/witnessing.ts'
import { HEARTBEAT_MS } from '../../src/shell/tlog/witness-turn.ts'
import { right } from '../support/either.ts'
import { type Bad, type MiniWitness, miniWitness } from '../support/mini-witness.ts'
import { ORIGIN, type SealedLedger, sealedLedger, tamper } from '../support/sealing.ts'

const PROGRAM = join(import.meta.dirname, '../support/witnessing-process.ts')

const headOf = async (log: SealedLedger): Promise<StoredHead> => {
  const sealed = await log.seal()
  ok('head' in sealed)
  return sealed.head
}

const knowing = async (log: SealedLedger, ...names: readonly string[]) => {
  await log.seal()
  const keys = right(await log.tlog.keys.list(ORIGIN)())
  return Promise.all(
    names.map(async (name, i) => {
      const witness = await miniWitness(name, 40 + i, log.data)
      for (const { key } of keys) witness.know(key.vkey)
      return witness
    }),
  )
}

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2))
}

const BAD: readonly Bad[] = ['never-answers', 'drips', 'hangs-up', 'answers-a-megabyte', 'fails']
const CLAIMS: readonly Bad[] = ['claims-a-larger-head', 'conflicts-for-ever', 'calls-it-unproven']

test('a run goes on and is sealed as without them; the one that answers cosigns its last head', async (t) => {
  const log = await sealedLedger(t)
  const [good, dead, ...bad] = await knowing(log, 'good', 'dead', ...BAD, ...CLAIMS)
  ok(good !== undefined && dead !== undefined)
  bad.forEach((witness, i) => witness.be([...BAD, ...CLAIMS][i]))
  await dead.close()
  const all = [good, dead, ...bad]
  const lines: string[] = []
  const beside = witnessing(
    log.tlog,
    all.map(({ witness }) => witness),
    (text) => void lines.push(text),
    200,
  )
  const seal = async () => {
    const sealed = await log.seal()
    beside.sealed(sealed)
    return sealed
  }
  const hanging = bad[0]
  ok(hanging !== undefined)
  const { sealed } = await whileSealing(
    seal,
    log.tlog.every,
    async () => {
      // Each round ends only when a head was sealed over it, while one of them never answers.
      for (let round = 0; round < 20; round += 1) {
        await log.append(5)
        const size = 1 + 5 * (round + 1)
        for (;;) {
          const newest = right(await log.tlog.tree.newest()())
          if ((newest?.size ?? 0) >= size) break
          await new Promise((resolve) => setTimeout(resolve, 2))
        }
      }
      await until(() => hanging.asked.length > 0)
    },
    5,
  )
  equal(hanging.asked.length, 1, 'one request under way at most')
  await beside.end()
  ok('head' in sealed && sealed.head.size === 101)
  equal(good.holds(ORIGIN)?.size, 101)
  const kept = right(await log.tlog.cosignatures.of(101)())
  deepEqual(
    kept.map(({ key }) => key),
    [good.vkey],
  )
  // A line for what changes, not for every sealing.
  for (const { name } of [dead, ...bad])
    ok(lines.filter((line) => line.includes(`witness ${name} `)).length >= 1, name)
  ok(lines.length <= 2 * all.length, lines.join('\n'))
  for (const witness of [good, ...bad]) await witness.close()
  await log.close()
})

test('a witness that keeps failing is left out of more and more sealings, and asked at the end', async (t) => {
  const log = await sealedLedger(t)
  const [failing] = await knowing(log, 'failing')
  ok(failing !== undefined)
  failing.be('fails')
  const lines: string[] = []
  const beside = witnessing(log.tlog, [failing.witness], (text) => void lines.push(text))
  const sealed = await log.seal()
  for (let sealing = 0; sealing < 40; sealing += 1) {
    const before = failing.asked.length
    beside.sealed(sealed)
    // What was begun is ended before the next sealing comes.
    await new Promise((resolve) => setTimeout(resolve, 5))
    if (failing.asked.length > before) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  ok(failing.asked.length < 12, `${failing.asked.length} of 40`)
  await until(() => lines.length > 0)
  failing.be(undefined)
  await beside.end()
  equal(failing.holds(ORIGIN)?.size, 1)
  deepEqual(lines, [
    'the witness failing has not cosigned: it answers with status 500',
    'the witness failing cosigns again',
  ])
  await failing.close()
  await log.close()
})

test('a head that does not grow is cosigned anew at each heartbeat, and each time is kept', async (t) => {
  const log = await sealedLedger(t)
  let now = Date.UTC(2026, 10, 30)
  await log.seal()
  const witness = await miniWitness('w', 40, log.data, () => Math.floor(now / 1_000))
  for (const { key } of right(await log.tlog.keys.list(ORIGIN)())) witness.know(key.vkey)
  const ports = { ...log.tlog, now: () => instant(now) }
  const beside = witnessing(ports, [witness.witness], () => undefined)
  const sealed = await log.seal()
  const kept = async () => right(await log.tlog.cosignatures.of(1)()).map(({ time }) => time)
  const begun = Math.floor(now / 1_000)
  while ((await kept()).length === 0) {
    beside.sealed(sealed)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  for (let second = 1; second < HEARTBEAT_MS / 1_000; second += 1) {
    now += 1_000
    beside.sealed(sealed)
  }
  equal(witness.asked.length, 1)
  now += 1_000
  while ((await kept()).length === 1) {
    beside.sealed(sealed)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  await beside.end()
  deepEqual(await kept(), [begun, begun + HEARTBEAT_MS / 1_000])
  await witness.close()
  await log.close()
})

test('damage that is found on the way to a witness ends the run, and is no fault of the witness', async (t) => {
  const log = await sealedLedger(t)
  const [witness] = await knowing(log, 'w')
  ok(witness !== undefined)
  const ask = async (): Promise<void> => {
    const beside = witnessing(log.tlog, [witness.witness], (text) => ok(false, text))
    beside.sealed({ tag: 'Sealed', head })
    await beside.end()
  }
  let head = await headOf(log)
  await ask()
  await log.append(5)
  head = await headOf(log)
  await tamper(log, `update event set leaf = sha256('x') where position = 2`)
  await rejects(ask(), /position 2: the entry does not fit its leaf hash/)
  equal(witness.asked.length, 1)
  await witness.close()
  await log.close()
})

const killed = async (log: SealedLedger, witness: MiniWitness, step: string): Promise<void> => {
  const args = [PROGRAM, JSON.stringify(log.settings), log.data, witness.url, witness.vkey, step]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  await once(child, 'close')
  equal(child.signalCode, 'SIGKILL', step)
}

const signedOn = async (t: TestContext, step: string): Promise<void> => {
  const log = await sealedLedger(t)
  const [witness] = await knowing(log, 'w')
  ok(witness !== undefined)
  for (let round = 0; round < 2; round += 1) {
    await killed(log, witness, step)
    const beside = witnessing(log.tlog, [witness.witness], (text) => ok(false, text))
    beside.sealed(await log.seal())
    await beside.end()
    const head = await headOf(log)
    deepEqual(witness.holds(ORIGIN)?.size, head.size)
    const kept = right(await log.tlog.cosignatures.of(head.size)())
    ok(kept.length > 0 && kept.every((one) => isCosignatureOf(head.note, one)))
  }
  deepEqual(right(await log.tlog.objections.read()()), [])
  await witness.close()
  await log.close()
}

for (const step of ['before post', 'after post', 'after add'])
  test(`kill -9 ${step}: the next one is cosigned, and nobody objects`, (t) => signedOn(t, step))
