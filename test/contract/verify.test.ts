/** Every attack on a ledger that its log can catch is caught, with the position named. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileBodyStore } from '../../src/adapters/bodies/files.ts'
import type { Digest } from '../../src/kernel/digest.ts'
import { instant } from '../../src/kernel/instant.ts'
import { position, type Position } from '../../src/kernel/position.ts'
import { siteOfHost } from '../../src/kernel/site.ts'
import { siteStream } from '../../src/ledger/stream.ts'
import { fileSigningKeys } from '../../src/adapters/files/signing-keys.ts'
import { headText, parseHead } from '../../src/ledger/tlog/head.ts'
import { formatNote } from '../../src/ledger/tlog/note.ts'
import { type Bodies, tellingErased } from '../../src/shell/erasing/erased-bodies.ts'
import { verify } from '../../src/shell/tlog/verify.ts'
import type { VerifyReport } from '../../src/shell/tlog/verify-report.ts'
import { right } from '../support/either.ts'
import { RUN } from '../support/ledgers.ts'
import { naiveRoot } from '../support/naive-tree.ts'
import { noteSigner } from '../support/note-signer.ts'
import { sampleOf } from '../support/samples.ts'
import { ORIGIN, type SealedLedger, sealedLedger, tamper } from '../support/sealing.ts'

const NOW = instant(Date.UTC(2026, 11, 1))

type Case = SealedLedger & {
  readonly bodies: Bodies
  readonly bodyFiles: readonly string[]
  readonly verified: (full?: boolean) => Promise<VerifyReport>
}

const BODY_AT = 551

/** 701 entries; heads at 1, 200, 400, 550 and 700; kept bodies at 551 and 552. */
const theCase = async (t: TestContext): Promise<Case> => {
  const log = await sealedLedger(t)
  const store = right(await fileBodyStore(join(log.data, 'bodies'), randomBytes)())
  const bodies = tellingErased(store, log.ledger)
  await log.seal()
  for (const count of [199, 200, 150]) {
    await log.append(count)
    await log.seal()
  }
  const bodyFiles: string[] = []
  for (const [i, text] of ['User-agent: *\n', 'Disallow: /\n'].entries()) {
    const commit = right(await bodies.put(Buffer.from(text))())
    bodyFiles.push(join(log.data, 'bodies', commit.slice(0, 2), commit.slice(2, 4), commit))
    const body = {
      kept: true,
      alg: 'sha256-salt32',
      commit,
      bytes: text.length,
      truncated: false,
    } as const
    const { event: sample } = sampleOf('ResponseReceived')
    ok(sample.type === 'ResponseReceived')
    const event = { ...sample, body }
    const stream = siteStream(siteOfHost('body.example'))
    right(await log.ledger.append(RUN, { stream, expectedVersion: i, events: [event] })())
  }
  // So that the clock has moved on: entries of one moment may stand in any order.
  await new Promise((resolve) => setTimeout(resolve, 3))
  await log.append(148, 'b')
  await log.seal()
  await log.append(1, 'c')
  const ports = { ...log.tlog, ledger: log.ledger, bodies }
  const stop = new AbortController().signal
  const verified = (full = true) =>
    verify(ports, { full, now: NOW, stop, progress: () => undefined })
  return { ...log, bodies, bodyFiles, verified }
}

test('a sound ledger verifies, and what was read is said', async (t) => {
  const log = await theCase(t)
  const report = await log.verified()
  const stored = right(await log.tlog.tree.stored(0, 10_000)())
  deepEqual(report, {
    ok: true,
    origin: ORIGIN,
    predecessor: null,
    from: 1,
    to: 701,
    entries: 701,
    bytes: stored.reduce((sum, { entry }) => sum + entry.length, 0),
    bodies: 2,
    erased: 0,
    stillThere: 0,
    firstStillThere: null,
    heads: 5,
    cosignatures: 0,
    head: {
      size: 700,
      root: naiveRoot(stored.slice(0, 700).map(({ leaf }) => leaf)).toString('hex'),
    },
    unsealed: 1,
    signatures: 'checked',
    lastSigned: 'agrees',
    before: null,
    interrupted: false,
    breach: null,
  })
  await log.close()
})

/** Records that the body of the response at `position` was erased, in a stream that is not full. */
const recordErased = async (log: Case, position: Position): Promise<Digest> => {
  const [stored] = right(await log.tlog.tree.stored(position - 1, 1)())
  const event = stored?.recorded.event
  ok(event?.type === 'ResponseReceived' && event.body.kept)
  const { commit, bytes } = event.body
  const { event: sample } = sampleOf('BodyErased')
  ok(sample.type === 'BodyErased')
  const erased = { ...sample, response: position, request: event.request, commit, bytes }
  const stream = siteStream(siteOfHost('body.example'))
  right(await log.ledger.append(RUN, { stream, expectedVersion: 2, events: [erased] })())
  return commit
}

test('a body that was erased by an event is no breach; one that is gone without is, or was never erased is told', async (t) => {
  const log = await theCase(t)
  await log.verified()
  const commit = await recordErased(log, position(BODY_AT))
  // Cut short: the event stands, and the body is still there.
  for (const full of [true, false]) {
    const cut = await log.verified(full)
    deepEqual([cut.breach, cut.stillThere, cut.firstStillThere, cut.erased], [null, 1, 702, 0])
    await log.append(1, `d${String(full)}`)
  }
  equal(right(await log.bodies.erase(commit)()), 'erased')
  const report = await log.verified()
  deepEqual(
    [report.ok, report.bodies, report.erased, report.stillThere, report.breach],
    [true, 1, 1, 0, null],
  )
  await rm(log.bodyFiles[1] ?? '')
  const { breach } = await log.verified()
  deepEqual([breach?.position, breach?.until], [BODY_AT + 1, BODY_AT + 1])
  match(breach?.because ?? '', /is missing from the body store/)
  await log.close()
})

/** The entry at `position` with `from` written as `to`, and its leaf made to fit. */
const rewritten = (position: number, from: string, to: string): string =>
  `update event set entry = replace(convert_from(entry, 'UTF8'), '${from}', '${to}')::bytea where position = ${position}`
const FITTING = `update event set leaf = sha256('\\x00'::bytea || entry)`
const moved = (from: number, to: number): string =>
  `update event set position = ${to} where position = ${from}`

type Found = readonly [position: number, until: number, because: RegExp]

/** What is done, what a full verification says, and what an incremental one says that had seen 1 to 700. */
const attacks: readonly (readonly [string, (log: Case) => Promise<unknown>, Found])[] = [
  [
    'altered: one entry',
    (log) => tamper(log, rewritten(300, 'A. Operator', 'B. Operator')),
    [300, 300, /does not fit its leaf/],
  ],
  [
    'altered: one entry and its leaf',
    (log) => tamper(log, rewritten(300, 'A. Operator', 'B. Operator'), FITTING),
    [257, 400, /do not give the root of the head of size 400/],
  ],
  [
    'altered: one entry and its leaf, within a part of the tree that is kept',
    (log) => tamper(log, rewritten(210, 'A. Operator', 'B. Operator'), FITTING),
    [201, 256, /do not give the root of the head of size 400/],
  ],
  [
    'altered: written anew, with the same meaning',
    (log) => tamper(log, rewritten(300, '"by":', '"by": '), FITTING),
    [300, 300, /not in canonical form/],
  ],
  [
    'altered: two entries far apart; the first is named',
    (log) =>
      tamper(
        log,
        `update event set entry = 'x' where position = 500`,
        rewritten(120, 'A. O', 'B. O'),
      ),
    [120, 120, /does not fit its leaf/],
  ],
  [
    'dropped: one in the middle',
    (log) => tamper(log, 'delete from event where position = 300'),
    [301, 301, /position 300 is missing/],
  ],
  [
    'dropped: one in the middle, the others moved up',
    (log) =>
      tamper(
        log,
        'delete from event where position = 300',
        ...Array.from({ length: 401 }, (_, i) => moved(301 + i, 300 + i)),
      ),
    [300, 300, /it is version 299 of the stream site-a.example, where 298|version 300 .*where 299/],
  ],
  [
    'dropped: the first',
    (log) => tamper(log, 'delete from event where position = 1'),
    [2, 2, /position 1 is missing/],
  ],
  [
    'reordered',
    (log) => tamper(log, moved(300, 900), moved(301, 300), moved(900, 301)),
    [300, 300, /it is version 300 of the stream/],
  ],
  [
    'reordered: of two streams',
    (log) => tamper(log, moved(552, 900), moved(553, 552), moved(900, 553)),
    [553, 553, /its time is before that of the event before it/],
  ],
  [
    'inserted: in place of another',
    (log) =>
      tamper(
        log,
        'delete from event where position = 700',
        `insert into event select 700, 'site-z.example', 1, type, ts, replace(replace(convert_from(entry, 'UTF8'), 'site-b.example', 'site-z.example'), '"version":1}', '"version":1}')::bytea, leaf from event where position = 553`,
        FITTING,
      ),
    [551, 700, /do not give the root of the head of size 700/],
  ],
  [
    'truncated',
    (log) => tamper(log, 'delete from event where position > 650'),
    [651, 700, /a head of 700 entries was signed, and the ledger ends at 650/],
  ],
  [
    'truncated, with its heads',
    (log) =>
      tamper(
        log,
        'delete from event where position > 650',
        'delete from head where size > 650',
        'delete from tree_hash where index > 1',
      ),
    [651, 700, /a head of 700 entries was signed, and the ledger ends at 650/],
  ],
  [
    'back-dated',
    (log) =>
      tamper(
        log,
        rewritten(701, '"ts":"20', '"ts":"19'),
        `update event set ts = ts - 3155760000000 where position = 701`,
        FITTING,
      ),
    [701, 701, /time is before that of the event before it|column ts/],
  ],
  [
    're-timed by a second, in its column too, with a leaf that fits',
    (log) =>
      tamper(
        log,
        `update event set ts = ts + 1000, entry = replace(convert_from(entry, 'UTF8'),
          to_char(to_timestamp(ts / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS'),
          to_char(to_timestamp((ts + 1000) / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS'))::bytea
          where position = 700`,
        FITTING,
      ),
    [551, 700, /do not give the root of the head of size 700/],
  ],
  [
    'a body swapped under the salt of another',
    async (log) => {
      const [one = '', other = ''] = log.bodyFiles
      const salt = (await readFile(one)).subarray(0, 32)
      await writeFile(one, Buffer.concat([salt, (await readFile(other)).subarray(32)]))
    },
    [BODY_AT, BODY_AT, /does not fit its commitment/],
  ],
  [
    'swapped body',
    async (log) => {
      const [one = '', other = ''] = log.bodyFiles
      await writeFile(one, await readFile(other))
    },
    [BODY_AT, BODY_AT, /does not fit its commitment/],
  ],
  [
    'a body that is gone',
    (log) => rm(log.bodyFiles[1] ?? ''),
    [BODY_AT + 1, BODY_AT + 1, /is missing from the body store/],
  ],
  [
    'a head by another key',
    async (log) => {
      const [head] = right(await log.tlog.tree.after(399, 1)())
      const parsed = right(parseHead(head?.note ?? ''))
      const other = right(await fileSigningKeys(join(log.data, 'other')).create(ORIGIN)())
      const signature = other.sign?.(Buffer.from(headText(parsed))) ?? Buffer.alloc(0)
      const note = formatNote({
        text: headText(parsed),
        signatures: [{ name: ORIGIN, id: other.key.id, signature }],
      })
      await tamper(log, `update head set note = '${note}' where size = 400`)
    },
    [400, 400, /head of size 400 is not signed by the key in force/],
  ],
  [
    'a head under a forged key id',
    async (log) => {
      const [head] = right(await log.tlog.tree.after(399, 1)())
      const { text, signatures } = right(parseHead(head?.note ?? '')).note
      const forged = signatures.map((signature) => ({ ...signature, id: '00000000' }))
      const note = formatNote({ text, signatures: forged })
      await tamper(log, `update head set note = '${note}' where size = 400`)
    },
    [400, 400, /head of size 400/],
  ],
  [
    'a head by the key of another log',
    async (log) => {
      const [head] = right(await log.tlog.tree.after(399, 1)())
      const text = headText({ ...right(parseHead(head?.note ?? '')), origin: 'other.example/log' })
      const signature = noteSigner('other.example/log', 'log', 5).sign(text)
      const note = formatNote({ text, signatures: [signature] })
      await tamper(log, `update head set note = '${note}' where size = 400`)
    },
    [400, 400, /head of size 400/],
  ],
  [
    'a hash of the kept tree',
    (log) => tamper(log, `update tree_hash set hash = sha256('x') where level = 1 and index = 1`),
    [401, 512, /hash 1 of level 1 of the stored tree is not that of the entries/],
  ],
  [
    'forked: rewritten and sealed anew, by whoever has the database and not what was signed last',
    async (log) => {
      const { note = '' } = right(await log.tlog.tree.newest()()) ?? {}
      await tamper(
        log,
        'delete from event where position > 699',
        'delete from head where size > 699',
      )
      await log.append(1, 'd')
      await rm(join(log.data, 'signing/last-signed'))
      const before = right(await log.tlog.tree.newest()())
      await log.tlog.lastSigned.write(before?.note ?? '')()
      await log.seal()
      await writeFile(join(log.data, 'signing/last-signed'), note)
    },
    [1, 700, /signed last has another root than the tree/],
  ],
]

for (const [what, attack, [position, until, because]] of attacks)
  test(`${what} is caught, named by its position`, async (t) => {
    const log = await theCase(t)
    await attack(log)
    const { breach, ok: isOk } = await log.verified()
    equal(isOk, false)
    match(breach?.because ?? '', because)
    deepEqual([breach?.position, breach?.until], [position, until])
    await log.close()
  })

test('incremental: only what came since is read, and that is said', async (t) => {
  const log = await theCase(t)
  ok((await log.verified()).ok)
  const again = await log.verified(false)
  deepEqual(
    {
      ok: again.ok,
      from: again.from,
      to: again.to,
      entries: again.entries,
      bodies: again.bodies,
      before: again.before,
    },
    {
      ok: true,
      from: 701,
      to: 701,
      entries: 1,
      bodies: 0,
      before: { size: 700, at: NOW, fullAt: NOW },
    },
  )
  await log.append(600, 'd')
  await log.seal()
  await log.append(3, 'c')
  equal((await log.verified(false)).entries, 604)
  equal((await log.verified(false)).entries, 3)
  equal((await log.verified()).entries, 1_304)
  await log.close()
})

test('incremental: a tree that no longer has the root it had is read from the beginning', async (t) => {
  const log = await theCase(t)
  ok((await log.verified()).ok)
  await tamper(log, rewritten(690, 'A. Operator', 'B. Operator'), FITTING)
  const { breach } = await log.verified(false)
  deepEqual([breach?.position, breach?.until], [551, 700])
  await log.close()
})

test('incremental: what it does not read again it does not find, and --full does', async (t) => {
  const log = await theCase(t)
  ok((await log.verified()).ok)
  await tamper(log, rewritten(20, 'A. Operator', 'B. Operator'))
  const again = await log.verified(false)
  deepEqual([again.ok, again.before?.size], [true, 700])
  equal((await log.verified()).breach?.position, 20)
  await log.close()
})

test('incremental: a stream that skips a version is found where it was taken up', async (t) => {
  const log = await theCase(t)
  ok((await log.verified()).ok)
  await log.append(2, 'b')
  await tamper(
    log,
    `update event set version = 159, entry = replace(convert_from(entry, 'UTF8'), '"version":149', '"version":159')::bytea where position = 702`,
    FITTING,
  )
  const { breach } = await log.verified(false)
  deepEqual(
    [
      breach?.position,
      /it is version 159 of the stream site-b.example/.test(breach?.because ?? ''),
    ],
    [702, true],
  )
  await log.close()
})

test('a ledger that was verified further than it reaches now is a breach', async (t) => {
  const log = await theCase(t)
  ok((await log.verified()).ok)
  await tamper(
    log,
    'delete from event where position > 650',
    'delete from head',
    'delete from tree_hash',
  )
  await rm(join(log.data, 'signing/last-signed'))
  const { breach } = await log.verified(false)
  deepEqual([breach?.position, breach?.until], [651, 700])
  await log.close()
})

test('an interrupted verification remembers nothing', async (t) => {
  const log = await theCase(t)
  const stopped = AbortSignal.abort()
  const ports = { ...log.tlog, ledger: log.ledger, bodies: log.bodies }
  const report = await verify(ports, {
    full: true,
    now: NOW,
    stop: stopped,
    progress: () => undefined,
  })
  equal(report.interrupted, true)
  equal(right(await log.tlog.verified.read()()), undefined)
  await log.close()
})
