/** Heads on their way to witnesses: what is asked, what is taken for an answer, what stops us. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import type { Cosignature } from '../../src/ledger/tlog/cosignature.ts'
import { isCosignatureOf } from '../../src/ledger/tlog/cosignature.ts'
import type { StoredHead } from '../../src/ledger/tlog/port.ts'
import { openObjections } from '../../src/ledger/tlog/objection.ts'
import { exitCodeOf, Halt } from '../../src/shell/halt.ts'
import { type Asked, askWitness } from '../../src/shell/tlog/ask-witness.ts'
import { assertUnobjected } from '../../src/shell/tlog/objecting.ts'
import { sealer } from '../../src/shell/tlog/seal.ts'
import { right } from '../support/either.ts'
import { type Bad, type MiniWitness, miniWitness } from '../support/mini-witness.ts'
import { ORIGIN, type SealedLedger, sealedLedger, tamper } from '../support/sealing.ts'

type Witnessed = SealedLedger & {
  readonly witness: MiniWitness
  readonly head: () => Promise<StoredHead>
  readonly ask: (head?: StoredHead) => Promise<Asked>
  readonly kept: (size: number) => Promise<readonly Cosignature[]>
  readonly end: () => Promise<void>
}

const NEVER = new AbortController().signal

/** A sealed log of one entry, and a witness that knows it. */
const witnessed = async (t: TestContext): Promise<Witnessed> => {
  const log = await sealedLedger(t)
  const witness = await miniWitness('w.example/a', 7, log.data)
  const head = async (): Promise<StoredHead> => {
    const sealed = await log.seal()
    ok('head' in sealed)
    return sealed.head
  }
  await head()
  for (const { key } of right(await log.tlog.keys.list(ORIGIN)())) witness.know(key.vkey)
  return {
    ...log,
    witness,
    head,
    ask: async (given) => askWitness(log.tlog, witness.witness, given ?? (await head()), NEVER),
    kept: async (size) => right(await log.tlog.cosignatures.of(size)()),
    end: async () => {
      await witness.close()
      await log.close()
    },
  }
}

const because = (asked: Asked): string => {
  ok(asked.tag === 'Unusable', asked.tag)
  return asked.because
}

test('tlog-witness: the size held, the proof from there, the head; the cosignature is kept', async (t) => {
  const log = await witnessed(t)
  const first = await log.head()
  equal((await log.ask()).tag, 'Cosigned')
  equal(log.witness.asked[0], `old 0\n\n${first.note}`)
  let before = 1
  for (const more of [1, 2, 5, 255, 300]) {
    await log.append(more)
    const head = await log.head()
    equal((await log.ask()).tag, 'Cosigned')
    match(
      log.witness.asked.at(-1) ?? '',
      new RegExp(`^old ${before}\\n(?:[A-Za-z0-9+/]{43}=\\n)+\\n${ORIGIN}\\n${head.size}\\n`),
    )
    deepEqual(log.witness.holds(ORIGIN)?.size, head.size)
    const [kept, ...others] = await log.kept(head.size)
    ok(kept !== undefined && others.length === 0)
    ok(isCosignatureOf(head.note, kept))
    before = head.size
  }
  // The same head again: no proof, and a cosignature of its own if the time is another.
  equal((await log.ask()).tag, 'Cosigned')
  match(log.witness.asked.at(-1) ?? '', new RegExp(`^old ${before}\\n\\n${ORIGIN}\\n`))
  equal(log.witness.asked.length, 7)
  await log.end()
})

test('a witness is the same after it was started again, and an answer that was lost is made good', async (t) => {
  const log = await witnessed(t)
  await log.ask()
  await log.append(4)
  const lost = {
    ...log.tlog,
    post: async (...of: Parameters<typeof log.tlog.post>) => {
      await log.tlog.post(...of)
      return { tag: 'Failure', because: 'the answer was lost' } as const
    },
  }
  equal(
    because(await askWitness(lost, log.witness.witness, await log.head(), NEVER)),
    'the answer was lost',
  )
  await log.witness.close()
  const again = await miniWitness('w.example/a', 7, log.data)
  for (const { key } of right(await log.tlog.keys.list(ORIGIN)())) again.know(key.vkey)
  equal(again.holds(ORIGIN)?.size, 5)
  await log.append(3)
  equal((await askWitness(log.tlog, again.witness, await log.head(), NEVER)).tag, 'Cosigned')
  deepEqual(
    again.asked.map((body) => body.split('\n')[0]),
    ['old 1', 'old 5'],
  )
  await again.close()
  await log.close()
})

describe('no answer that is not a cosignature of this head by this witness, now, is kept', () => {
  const answers: readonly (readonly [Bad, RegExp])[] = [
    ['hangs-up', /^it did not answer: (reset|cut-short)/],
    ['answers-a-megabyte', /^its answer is larger than 65535 bytes/],
    ['answers-garbage', /^its answer is no list of signature lines/],
    ['redirects', /^it sends elsewhere \(302\)/],
    ['fails', /^it answers with status 500/],
    ['signs-with-another-key', /no cosignature by the key that was named/],
    ['signs-another-root', /^its cosignature is false/],
    ['signs-a-stale-time', /clock are 3(599|600|601) seconds apart/],
    ['signs-twice', /^its cosignature is false/],
    ['conflicts-for-ever', /^it does not agree with itself/],
    ['conflicts-with-garbage', /does not say which \(409\)/],
  ]
  for (const [bad, why] of answers)
    test(bad, async (t) => {
      const log = await witnessed(t)
      await log.ask()
      await log.append(9)
      log.witness.be(bad)
      match(because(await log.ask()), why)
      deepEqual(await log.kept(10), [])
      ok(log.witness.asked.length <= 3, 'asked twice at most')
      // Nothing of that is held against it.
      log.witness.be(undefined)
      equal((await log.ask()).tag, 'Cosigned')
      deepEqual(right(await log.tlog.objections.read()()), [])
      await log.end()
    })

  for (const bad of ['never-answers', 'drips'] as const)
    test(`${bad}: whoever asked goes when he likes`, async (t) => {
      const log = await witnessed(t)
      log.witness.be(bad)
      const going = new AbortController()
      const asking = askWitness(log.tlog, log.witness.witness, await log.head(), going.signal)
      while (log.witness.asked.length === 0) await new Promise((resolve) => setImmediate(resolve))
      going.abort()
      equal(because(await asking), 'it did not answer in time')
      await log.end()
    })

  test('a witness that knows neither the log nor its key says so', async (t) => {
    const log = await sealedLedger(t)
    await log.seal()
    const sealed = await log.seal()
    ok('head' in sealed)
    const witness = await miniWitness('w.example/a', 7, log.data)
    const ask = () => askWitness(log.tlog, witness.witness, sealed.head, NEVER)
    match(because(await ask()), /does not know this log \(404\)/)
    witness.know((await other(t)).vkey)
    match(because(await ask()), /does not accept the key.*\(403\)/)
    await witness.close()
    match(because(await ask()), /^it did not answer: connect-refused/)
    await log.close()
  })
})

/** A key of another log under the same name. */
const other = async (t: TestContext) => {
  const log = await sealedLedger(t)
  await log.seal()
  const [key] = right(await log.tlog.keys.list(ORIGIN)())
  ok(key)
  await log.close()
  return key.key
}

describe('what a witness holds against us', () => {
  const halted = async (log: Witnessed, why: RegExp): Promise<void> =>
    rejects(assertUnobjected(log.tlog, [log.witness.witness]), (error) => {
      ok(error instanceof Halt)
      match(error.message, why)
      equal(exitCodeOf(error.failure), 3)
      return true
    })

  /** Database and last-signed store as they were at `size`: what a backup of both brings back. */
  const setBack = async (log: Witnessed, size: number, lastSigned: Buffer): Promise<void> => {
    await tamper(
      log,
      `delete from event where position > ${size}`,
      `delete from head where size > ${size}`,
      `delete from cosignature where size > ${size}`,
      'delete from tree_hash',
    )
    await writeFile(join(log.data, 'signing/last-signed'), lastSigned)
  }
  const restored = async (t: TestContext): Promise<Witnessed> => {
    const log = await witnessed(t)
    await log.append(4)
    await log.ask()
    const backup = await readFile(join(log.data, 'signing/last-signed'))
    await log.append(4)
    await log.ask()
    await setBack(log, 5, backup)
    return { ...log, seal: sealer(log.ports) }
  }

  test('set back together with what was signed last: nothing is begun, and how to go on is said', async (t) => {
    const log = await restored(t)
    await halted(
      log,
      /position 6: the witness w\.example\/a has cosigned a head of 9 entries of this log, whose newest head here had 5: it was set back\. Restore a backup that reaches position 9.*witness remove w\.example\/a/,
    )
    // Also when the witness is not to be had: what it said stands.
    await log.witness.close()
    await halted(log, /has cosigned a head of 9 entries/)
    await assertUnobjected(log.tlog, [])
    equal(right(await log.tlog.objections.read()()).length, 1)
    await log.close()
  })

  test('the backup that has it is put back: the witness cosigns, and that is settled', async (t) => {
    const log = await witnessed(t)
    await log.append(8)
    await log.ask()
    log.witness.be('claims-a-larger-head')
    await halted(log, /it was set back/)
    await halted(log, /it was set back/)
    log.witness.be(undefined)
    await assertUnobjected(log.tlog, [log.witness.witness])
    const [objection, ...more] = right(await log.tlog.objections.read()())
    ok(objection !== undefined && more.length === 0)
    equal(objection.kind, 'set-back')
    ok(objection.settled !== null)
    deepEqual(openObjections([objection], [log.witness.vkey]), [])
    await log.end()
  })

  for (const [what, more] of [
    ['of the same size', 4],
    ['of a larger one', 7],
  ] as const)
    test(`continued after that, as another history ${what}: 409 or 422, and nothing is begun`, async (t) => {
      const log = await restored(t)
      await log.append(more, 'b')
      const sealed = await log.seal()
      ok('head' in sealed)
      const asked = await askWitness(log.tlog, log.witness.witness, sealed.head, NEVER)
      ok(asked.tag === 'Objected' && asked.objection.kind === 'forked', asked.tag)
      equal(asked.objection.holds, 9)
      equal(asked.objection.checkpoint, sealed.head.note)
      await halted(log, /position 9: .*another history of this log.*verify --full/)
      deepEqual(await log.kept(sealed.head.size), [])
      await log.end()
    })

  test('whoever has the key rewrites and signs anew: the cosignature that he kept shows nothing for him', async (t) => {
    const log = await witnessed(t)
    await log.append(8)
    await log.ask()
    const kept = await log.kept(9)
    await setBack(log, 5, Buffer.from(right(await log.tlog.tree.newestUpTo(5)())?.note ?? ''))
    await tamper(
      log,
      ...kept.map(
        ({ size, key, time, signature }) =>
          `insert into cosignature values (${size}, '${key}', ${time}, '\\x${signature.toString('hex')}')`,
      ),
    )
    await log.append(8, 'b')
    const seal = sealer(log.ports)
    const sealed = await seal()
    ok('head' in sealed)
    const asked = await askWitness(log.tlog, log.witness.witness, sealed.head, NEVER)
    ok(asked.tag === 'Objected' && asked.objection.kind === 'forked', asked.tag)
    await log.end()
  })

  for (const bad of ['calls-it-unproven', 'claims-another-head'] as const)
    test(`a witness that contradicts its own cosignature is named, and stops nothing: ${bad}`, async (t) => {
      const log = await witnessed(t)
      await log.append(8)
      await log.ask()
      log.witness.be(bad)
      const asked = await log.ask()
      ok(asked.tag === 'Objected', asked.tag)
      equal(asked.objection.kind, 'unfounded')
      await assertUnobjected(log.tlog, [log.witness.witness])
      await log.ask()
      equal(right(await log.tlog.objections.read()()).length, 1)
      await log.end()
    })

  test('a head that another process had cosigned meanwhile is no contradiction', async (t) => {
    const log = await witnessed(t)
    const old = await log.head()
    await log.append(3)
    await log.ask()
    equal((await log.ask(old)).tag, 'Overtaken')
    deepEqual(right(await log.tlog.objections.read()()), [])
    await log.end()
  })

  test('a file of objections that does not parse is not passed over', async (t) => {
    const log = await witnessed(t)
    await writeFile(join(log.data, 'signing/objections.json'), '[{}]')
    await rejects(assertUnobjected(log.tlog, [log.witness.witness]), /objections\.json: /)
    await log.end()
  })
})
