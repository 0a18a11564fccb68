/** `verify` and what witnesses signed: each is one of a stored head, by a key that the log has named. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { memoryBodyStore } from '../../src/adapters/memory/bodies.ts'
import { instant } from '../../src/kernel/instant.ts'
import { askWitness } from '../../src/shell/tlog/ask-witness.ts'
import { addWitness, nameWitnesses, removeWitness } from '../../src/shell/tlog/name-witnesses.ts'
import { verify } from '../../src/shell/tlog/verify.ts'
import { right } from '../support/either.ts'
import { RUN } from '../support/ledgers.ts'
import { miniWitness } from '../support/mini-witness.ts'
import { ORIGIN, sealedLedger, tamper } from '../support/sealing.ts'

/** Heads of 2, 7 and 12 entries, cosigned each; its witness is named no more by the 13th. */
const cosigned = async (t: TestContext) => {
  const log = await sealedLedger(t)
  const witness = await miniWitness('w.example/a', 7, log.data)
  const act = { run: RUN, by: null, note: null }
  await nameWitnesses(log.ledger, addWitness(witness.url, witness.vkey), act)
  for (const more of [0, 5, 5]) {
    if (more > 0) await log.append(more)
    const sealed = await log.seal()
    ok('head' in sealed)
    for (const { key } of right(await log.tlog.keys.list(ORIGIN)())) witness.know(key.vkey)
    const { signal } = new AbortController()
    equal((await askWitness(log.tlog, witness.witness, sealed.head, signal)).tag, 'Cosigned')
  }
  await nameWitnesses(log.ledger, removeWitness('w.example/a'), act)
  await log.seal()
  await witness.close()
  const bodies = memoryBodyStore(randomBytes)
  const check = (full: boolean) =>
    verify(
      { ...log.publishing, bodies },
      { full, now: instant(Date.now()), stop: new AbortController().signal, progress: () => {} },
    )
  return { log, check }
}

test('each is counted, also those of a witness that is named no more', async (t) => {
  const { log, check } = await cosigned(t)
  const report = await check(true)
  deepEqual([report.ok, report.heads, report.cosignatures], [true, 4, 3])
  equal((await check(false)).cosignatures, 0)
  await log.close()
})

for (const [what, statement, at, why] of [
  [
    'a signature was changed',
    `update cosignature set signature = set_byte(signature, 5, get_byte(signature, 5) # 1) where size = 7`,
    7,
    /^the cosignature of w\.example\/a is not one of the head of size 7$/,
  ],
  [
    'its time was changed by a second',
    'update cosignature set time = time - 1 where size = 12',
    12,
    /^the cosignature of w\.example\/a is not one of the head of size 12$/,
  ],
  [
    'it was put under another head',
    'update cosignature set size = 7, time = time + 1 where size = 12',
    7,
    /^the cosignature of w\.example\/a is not one of the head of size 7$/,
  ],
  [
    'its head is gone',
    'delete from head where size = 7',
    7,
    /^w\.example\/a cosigned a head of 7 entries, and it is missing$/,
  ],
  [
    'it is by somebody that was never named',
    `update cosignature set key = 'x+00000000+BA==' where size = 12`,
    12,
    /^the head of size 12 has a cosignature by a key that the log has never named$/,
  ],
] as const)
  test(`${what}: a breach, with the size of the head`, async (t) => {
    const { log, check } = await cosigned(t)
    await tamper(log, statement)
    const { breach } = await check(true)
    equal(breach?.position, at)
    match(breach.because, why)
    await log.close()
  })
