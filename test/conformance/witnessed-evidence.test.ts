/** Evidence and exports of a log with witnesses: what they hold, and that every bit of that counts. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { folderAt } from '../../src/adapters/files/folder.ts'
import { opensslTimestamps } from '../../src/adapters/openssl/check-timestamp.ts'
import { formatInstant, instant } from '../../src/kernel/instant.ts'
import { parseHttpUrl } from '../../src/kernel/url.ts'
import { parseHead, signersOf } from '../../src/ledger/tlog/head.ts'
import type { WitnessChange } from '../../src/shell/tlog/name-witnesses.ts'
import { addWitness, nameWitnesses, removeWitness } from '../../src/shell/tlog/name-witnesses.ts'
import { checkEvidence } from '../../src/publish/check-evidence.ts'
import { keysOf, parsePolicy, type Policy, policyText } from '../../src/publish/policy.ts'
import { askWitness } from '../../src/shell/tlog/ask-witness.ts'
import { exportTlog } from '../../src/shell/tlog/export-tlog.ts'
import { readLogRecord } from '../../src/shell/tlog/log-record.ts'
import { timestampHead } from '../../src/shell/tlog/timestamp.ts'
import { left, right } from '../support/either.ts'
import { byHand, everyBitCounts } from '../support/evidence-checks.ts'
import { goVerifier, NO_GO } from '../support/go-verifier.ts'
import { RUN } from '../support/ledgers.ts'
import { type MiniWitness, miniWitness } from '../support/mini-witness.ts'
import { filesIn, publishedLog, type PublishedLog } from '../support/published-log.ts'
import { ORIGIN } from '../support/sealing.ts'
import { NO_OPENSSL, timestampAuthority } from '../support/timestamp-authority.ts'

const go = goVerifier()
const tsa = timestampAuthority()
const NEVER = new AbortController().signal

type Witnessed = PublishedLog & {
  readonly witnesses: readonly MiniWitness[]
  readonly name: (change: WitnessChange) => Promise<void>
  /** Has these witnesses cosign the newest head; gives its size. */
  readonly cosign: (...of: readonly number[]) => Promise<number>
  readonly policyNow: () => Promise<Policy>
  readonly end: () => Promise<void>
}

/** The published log of 621 entries, then three witnesses that are named by entries 622 to 624. */
const witnessed = async (t: TestContext): Promise<Witnessed> => {
  const log = await publishedLog(t)
  const [own] = right(await log.tlog.keys.list(ORIGIN)())
  ok(own)
  const witnesses = await Promise.all(
    [1, 2, 3].map((n) => miniWitness(`w${n}.example/w`, 60 + n, log.data)),
  )
  const name = async (change: WitnessChange): Promise<void> =>
    void (await nameWitnesses(log.ledger, change, { run: RUN, by: null, note: null }))
  for (const { know, url, vkey } of witnesses) {
    know(own.key.vkey)
    await name(addWitness(url, vkey))
  }
  const cosign = async (...of: readonly number[]): Promise<number> => {
    const sealed = await log.seal()
    ok('head' in sealed)
    for (const at of of) {
      const witness = witnesses[at]
      ok(witness)
      const asked = await askWitness(log.tlog, witness.witness, sealed.head, NEVER)
      equal(asked.tag, 'Cosigned')
    }
    return sealed.head.size
  }
  const policyNow = async (): Promise<Policy> => {
    const record = await readLogRecord(log.ledger)
    const keys = right(await log.tlog.keys.list(ORIGIN)()).map(({ key }) => key)
    return right(parsePolicy('policy', policyText(keys, record?.witnesses)))
  }
  const end = async (): Promise<void> => {
    for (const { close } of witnesses) await close()
    await log.close()
  }
  return { ...log, witnesses, name, cosign, policyNow, end }
}

/** The log with heads that one, two and three witnesses cosigned. */
const withHeads = async (t: TestContext): Promise<Witnessed> => {
  const log = await witnessed(t)
  equal(await log.cosign(0), 624)
  await log.append(6)
  equal(await log.cosign(0, 1), 630)
  await log.append(10)
  equal(await log.cosign(2), 640)
  await log.append(10)
  equal(await log.cosign(2, 1, 0), 650)
  return log
}

test('evidence rests on the earliest head with the quorum that holds the event, and names the times', async (t) => {
  const log = await withHeads(t)
  const policy = await log.policyNow()
  for (const [position, after, before, by] of [
    [2, null, 630, [1, 2]],
    [307, null, 630, [1, 2]],
    [630, null, 630, [1, 2]],
    [631, 630, 650, [1, 2, 3]],
    [640, 630, 650, [1, 2, 3]],
    [650, 630, 650, [1, 2, 3]],
  ] as const) {
    const directory = await log.evidence(position)
    const bundle = await filesIn(directory)
    const found = right(checkEvidence(bundle, policy))
    deepEqual([found.after?.size ?? null, found.before.size], [after, before], String(position))
    deepEqual(
      found.witnesses,
      by.map((n) => `w${n}.example/w`),
    )
    match(found.before.witnessed ?? '', /^20\d\d-.*\.000Z$/)
    if (found.after !== null) match(found.after.witnessed ?? '', /^20\d\d-.*\.000Z$/)
    const said = await byHand(directory)
    equal(said.filter((line) => line.startsWith('FALSE')).length, 0, said.join('\n'))
    equal(
      said.filter((line) => /^OK: the witness w\d.example\/w had seen the head of/.test(line))
        .length,
      by.length + (after === null ? 0 : 2),
      said.join('\n'),
    )
    if (go !== undefined) {
      const vkey = policy.logs[0]?.vkey ?? ''
      equal(go('proof', vkey, directory).out, `verified position ${position}\n`)
    }
  }
  await log.append(1)
  await log.cosign(1)
  await rejects(log.evidence(651), /position 651 is cosigned by 2 of 3 witnesses yet/)
  if (go === undefined) t.diagnostic(NO_GO)
  await log.end()
})

test(
  'every single bit of witnessed evidence counts, the cosignatures too',
  { timeout: 300_000 },
  async (t) => {
    const log = await withHeads(t)
    const policy = await log.policyNow()
    const bundle = await filesIn(await log.evidence(635))
    t.diagnostic(`${everyBitCounts(bundle, policy)} bits`)
    const refused = (change: (text: string) => string): string => {
      const changed = new Map(bundle)
      for (const name of ['event.tlog-proof', 'consistency.txt'])
        changed.set(name, Buffer.from(change(String(bundle.get(name)))))
      return left(checkEvidence(changed, policy)).because
    }
    const without = (n: number) => (text: string) =>
      text.replace(new RegExp(`^\\u2014 w${n}\\.example/w .*\\n`, 'mu'), '')
    match(
      refused((text) => without(1)(without(2)(text))),
      /too few witnesses/,
    )
    match(
      refused((text) => text.replace('— w1.example/w', '— w9.example/w')),
      /not in the policy/,
    )
    await log.end()
  },
)

test('a witness that is named no more is in no evidence; its cosignatures stay', async (t) => {
  const log = await withHeads(t)
  await log.name(removeWitness('w3.example/w'))
  const policy = await log.policyNow()
  equal(policy.witnesses.size, 2)
  const found = right(checkEvidence(await filesIn(await log.evidence(640)), policy))
  deepEqual(found.witnesses, ['w1.example/w', 'w2.example/w'])
  equal(right(await log.tlog.cosignatures.of(650)()).length, 3)
  await log.end()
})

test('what a crash left unsealed: a head that is cosigned later than the event brackets nothing', async (t) => {
  const log = await withHeads(t)
  await log.append(3)
  const policy = await log.policyNow()
  // The next day the old head is asked about once more, before the events behind it are sealed.
  const later = Math.floor(Date.now() / 1_000) + 86_400
  for (const { close } of log.witnesses) await close()
  const tomorrow = await Promise.all(
    [1, 2, 3].map((n) => miniWitness(`w${n}.example/w`, 60 + n, log.data, () => later)),
  )
  const ports = { ...log.tlog, now: () => instant(later * 1_000) }
  const ask = async (): Promise<void> => {
    const newest = right(await log.tlog.tree.newest()())
    ok(newest)
    for (const { know, witness } of tomorrow) {
      know(policy.logs[0]?.vkey ?? '')
      equal((await askWitness(ports, witness, newest, NEVER)).tag, 'Cosigned')
    }
  }
  await ask()
  await log.seal()
  await ask()
  const found = right(checkEvidence(await filesIn(await log.evidence(652)), policy))
  equal(found.after?.size, 650)
  ok((found.after.witnessed ?? '') <= found.ts)
  equal(found.before.witnessed, formatInstant(instant(later * 1_000)))
  for (const { close } of tomorrow) await close()
  await log.close()
})

test('an export carries the newest cosignatures; Go opens them, and misses one that was changed', async (t) => {
  const log = await withHeads(t)
  const policy = await log.policyNow()
  const directory = join(log.data, 'export')
  await exportTlog(log.publishing, folderAt(directory), () => undefined)
  const file = join(directory, 'checkpoint')
  const note = await readFile(file, 'utf8')
  const head = right(parseHead(note))
  deepEqual(
    right(signersOf(head.note, keysOf(policy))).map(({ key }) => key.name),
    [ORIGIN, 'w1.example/w', 'w2.example/w', 'w3.example/w'],
  )
  // An export of a head that is cosigned more by now is carried on.
  equal((await exportTlog(log.publishing, folderAt(directory), () => undefined)).before, 650)
  if (go !== undefined) {
    const vkeys = [...policy.witnesses.values()].map(({ vkey }) => vkey)
    const log0 = policy.logs[0]?.vkey ?? ''
    equal(go('cosigned', log0, file, ...vkeys).out, 'cosigned by 3\n')
    equal(go('tlog', log0, directory).out, 'verified 650 entries\n')
    const [line = ''] = /^— w2.*$/mu.exec(note) ?? []
    const at = note.indexOf(line) + line.indexOf(' ', 2) + 20
    const other = note[at] === 'A' ? 'B' : 'A'
    await writeFile(file, `${note.slice(0, at)}${other}${note.slice(at + 1)}`)
    equal(go('cosigned', log0, file, ...vkeys).code, 1)
  } else t.diagnostic(NO_GO)
  await log.end()
})

test(
  'RFC3161_2.4: a stamp over a head without the quorum is passed over for a later one',
  { skip: tsa === undefined ? NO_OPENSSL : false },
  async (t) => {
    ok(tsa !== undefined)
    const log = await witnessed(t)
    const stamp = async (): Promise<number> => {
      const ports = {
        ledger: log.ledger,
        post: (_: unknown, { body }: { readonly body: Buffer }) =>
          Promise.resolve({
            tag: 'Answer',
            status: 200,
            body: tsa.reply(body),
            truncated: false,
          } as const),
        check: opensslTimestamps(tsa.root),
      }
      const authority = right(parseHttpUrl('https://tsa.example/'))
      const nonce = Buffer.from('4122334455667788', 'hex')
      const asked = { run: RUN, authority, nonce, stop: NEVER }
      return (await timestampHead(ports, log.seal, asked)).size
    }
    const stampOf = async () =>
      right(checkEvidence(await filesIn(await log.evidence(2)), await log.policyNow())).stamp
    equal(await log.cosign(0), 624)
    equal(await stamp(), 624)
    equal(await log.cosign(0, 1), 625)
    equal(await stampOf(), null)
    equal(await stamp(), 625)
    // Stamped and recorded; but the head that has the record is cosigned by nobody yet.
    equal(await stampOf(), null)
    await log.cosign(1, 2)
    equal((await stampOf())?.size, 625)
    const said = await byHand(await log.evidence(2))
    equal(said.filter((line) => line.startsWith('FALSE')).length, 0, said.join('\n'))
    await log.end()
  },
)
