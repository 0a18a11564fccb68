/** Evidence: whole it convinces us, a shell with openssl, and Go; with one bit changed nobody. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { exportedFilesAt } from '../../src/adapters/files/exported-files.ts'
import { folderAt } from '../../src/adapters/files/folder.ts'
import { parseHead } from '../../src/ledger/tlog/head.ts'
import { checkEvidence } from '../../src/publish/check-evidence.ts'
import { parsePolicy, type Policy, policyText } from '../../src/publish/policy.ts'
import { exportTlog } from '../../src/shell/tlog/export-tlog.ts'
import { rotateKey } from '../../src/shell/tlog/rotate.ts'
import { checked, faultIn, policyOf } from '../support/checked-export.ts'
import { left, right } from '../support/either.ts'
import { byHand, everyBitCounts } from '../support/evidence-checks.ts'
import { goVerifier, NO_GO } from '../support/go-verifier.ts'
import { filesIn, publishedLog } from '../support/published-log.ts'
import { RUN } from '../support/ledgers.ts'
import { ORIGIN, type SealedLedger, sealedLedger, tamper } from '../support/sealing.ts'

const go = goVerifier()

test(
  'an event at any place convinces us, a shell with openssl, and Go',
  { timeout: 120_000 },
  async (t) => {
    const log = await publishedLog(t)
    const policy = right(parsePolicy('policy', await log.policy()))
    const vkey = policy.logs[0]?.vkey ?? ''
    const brackets: readonly (readonly [number, number | null, number])[] = [
      [1, null, 1],
      [2, 1, 6],
      [6, 1, 6],
      [7, 6, 306],
      [256, 6, 306],
      [306, 6, 306],
      [307, 306, 307],
      [308, 307, 621],
      [513, 307, 621],
      [621, 307, 621],
    ]
    for (const [position, after, before] of brackets) {
      const directory = await log.evidence(position)
      const found = right(checkEvidence(await filesIn(directory), policy))
      deepEqual(
        { ...found, type: '', ts: '' },
        {
          position,
          origin: ORIGIN,
          type: '',
          ts: '',
          after: after === null ? null : { size: after, witnessed: null },
          before: { size: before, witnessed: null },
          witnesses: [],
          stamp: null,
          body: position === log.withBody ? 'fits' : 'none kept',
          erased: null,
        },
      )
      const said = await byHand(directory)
      equal(said.filter((line) => line.startsWith('FALSE')).length, 0, said.join('\n'))
      equal(
        said.length,
        (after === null ? 2 : 6) + (position === log.withBody ? 1 : 0),
        said.join('\n'),
      )
      if (go !== undefined)
        equal(go('proof', vkey, directory).out, `verified position ${position}\n`)
    }
    if (go === undefined) t.diagnostic(NO_GO)
    await log.close()
  },
)

test(
  'every single bit of a bundle counts, but for those of README.txt',
  { timeout: 300_000 },
  async (t) => {
    const log = await publishedLog(t)
    const text = await log.policy()
    const policy = right(parsePolicy('policy', text))
    const bundle = await filesIn(await log.evidence(log.withBody))
    deepEqual([...bundle.keys()].toSorted(), [
      'README.txt',
      'before.checkpoint',
      'body.bin',
      'body.salt',
      'consistency.txt',
      'event.json',
      'event.tlog-proof',
      'policy.txt',
    ])
    const bits = everyBitCounts(bundle, policy)
    t.diagnostic(`${bits} bits`)
    ok(bits > 10_000)
    await log.close()
  },
)

test(
  'an erased body: its erasure is proven in its place, and every bit of that counts too',
  { timeout: 300_000 },
  async (t) => {
    const log = await publishedLog(t)
    const policy = right(parsePolicy('policy', await log.policy()))
    const before = await filesIn(await log.evidence(log.withBody))
    await log.erase()
    const directory = await log.evidence(log.withBody)
    const bundle = await filesIn(directory)
    ok(bundle.has('erased.json') && bundle.has('erased.tlog-proof'))
    ok(!bundle.has('body.bin') && !bundle.has('body.salt'))
    const found = right(checkEvidence(bundle, policy))
    deepEqual(
      [found.body, found.erased?.position, found.erased?.basis],
      ['erased', 622, 'site-request'],
    )
    const said = await byHand(directory)
    ok(said.includes('OK: the erasure is of this body'), said.join('\n'))
    equal(said.filter((line) => line.startsWith('FALSE')).length, 0, said.join('\n'))
    everyBitCounts(bundle, policy)

    const refused = (files: ReadonlyMap<string, Buffer>) =>
      left(checkEvidence(files, policy)).because
    const without = (name: string) => new Map([...bundle].filter(([file]) => file !== name))
    match(refused(without('erased.json')), /is missing/)
    match(refused(without('erased.tlog-proof')), /is missing/)
    // What was handed out before stays good, but nobody may have it both ways.
    equal(right(checkEvidence(before, policy)).body, 'fits')
    match(
      refused(new Map([...before, ...bundle])),
      /says that the body was erased, and the bundle has/,
    )
    const other = await filesIn(await log.evidence(308))
    const erasure = [...bundle].filter(([name]) => name.startsWith('erased.'))
    match(refused(new Map([...other, ...erasure])), /not the erasure of the body of this event/)
    await writeFile(
      join(directory, 'erased.json'),
      (bundle.get('erased.json') ?? '').toString().replace('"response":307', '"response":308'),
    )
    ok((await byHand(directory)).includes('FALSE: the erasure is of this body'))
    await log.close()
  },
)

test('a shell with openssl refuses what was changed', async (t) => {
  const log = await publishedLog(t)
  const changes: readonly (readonly [string, RegExp, string])[] = [
    ['event.json', /"status":200/, '"status":404'],
    ['event.tlog-proof', /\n307\n/, '\n308\n'],
    ['before.checkpoint', /\n306\n/, '\n305\n'],
    ['consistency.txt', /old 306\n(.)/, 'old 306\nA'],
    ['body.bin', /DIRECT/, 'RESELL'],
  ]
  for (const [name, from, to] of changes) {
    const directory = await log.evidence(log.withBody)
    const file = join(directory, name)
    await writeFile(file, (await readFile(file, 'latin1')).replace(from, to), 'latin1')
    const said = await byHand(directory)
    ok(
      said.some((line) => line.startsWith('FALSE')),
      `${name}: ${said.join('\n')}`,
    )
  }
  await log.close()
})

test('evidence that was put together wrongly is refused, and why is said', async (t) => {
  const [log, other] = [await publishedLog(t), await publishedLog(t)]
  const policy = right(parsePolicy('policy', await log.policy()))
  const bundle = await filesIn(await log.evidence(308))
  const elsewhere = await filesIn(await other.evidence(308))
  const early = await filesIn(await log.evidence(2))
  const refused = (changes: Iterable<readonly [string, Buffer | undefined]>, why: RegExp): void => {
    const changed = new Map(bundle)
    for (const [name, bytes] of changes)
      if (bytes === undefined) changed.delete(name)
      else changed.set(name, bytes)
    const { file, because } = left(checkEvidence(changed, policy))
    match(`${file}: ${because}`, why)
  }
  refused(elsewhere, /policy.txt: it says what the policy you gave does not/)
  refused(
    [...elsewhere].filter(([name]) => name !== 'policy.txt'),
    /event.tlog-proof: it carries a signature by a key that is not in the policy/,
  )
  refused(
    [['event.json', early.get('event.json')]],
    /event.json: these bytes are not in the log at this place/,
  )
  refused(
    [['event.tlog-proof', early.get('event.tlog-proof')]],
    /event.json: these bytes are not in the log/,
  )
  refused([['before.checkpoint', undefined]], /before.checkpoint: it is missing/)
  refused([['consistency.txt', undefined]], /consistency.txt: it is missing/)
  refused(
    [['consistency.txt', early.get('consistency.txt')]],
    /consistency.txt: it is not about the two heads/,
  )
  refused([['event.json', undefined]], /event.json: it is missing/)
  refused([['extra.txt', Buffer.of(1)]], /extra.txt: it does not belong to a bundle/)
  refused(
    [
      ['body.bin', Buffer.of(1)],
      ['body.salt', Buffer.alloc(32)],
    ],
    /body.bin: the event speaks of no kept body/,
  )
  refused(
    [['policy.txt', Buffer.from(`# trust me\n${await log.policy()}`)]],
    /policy.txt: it says what/,
  )
  const late = await filesIn(await log.evidence(621))
  const growth = Buffer.from(
    `old 621\n\n${String(late.get('event.tlog-proof')).split('\n\n').slice(1).join('\n\n')}`,
  )
  const head = Buffer.from(String(late.get('event.tlog-proof')).split('\n\n').slice(1).join('\n\n'))
  refused(
    [
      ['before.checkpoint', head],
      ['consistency.txt', growth],
    ],
    /before.checkpoint: it covers the event already/,
  )
  // Without the files that are only for convenience it still stands.
  const bare = new Map([...bundle].filter(([name]) => name.startsWith('event')))
  equal(right(checkEvidence(bare, policy)).after, null)
  await log.close()
  await other.close()
})

test('after a rotation old and new evidence is checked by one policy, and by the old one up to the change', async (t) => {
  const log = await publishedLog(t)
  const old = right(parsePolicy('policy', await log.policy()))
  await rotateKey({ ...log.tlog, ledger: log.ledger }, log.seal, {
    run: RUN,
    by: 'A. Operator',
    note: null,
  })
  await log.append(3)
  await log.seal()
  const both = right(parsePolicy('policy', await log.policy()))
  equal(both.logs.length, 2)
  for (const position of [5, 621, 622, 623, 625])
    equal(
      right(checkEvidence(await filesIn(await log.evidence(position)), both)).position,
      position,
    )
  const later = new Map(
    [...(await filesIn(await log.evidence(625)))].filter(([name]) => name !== 'policy.txt'),
  )
  match(left(checkEvidence(later, old)).because, /a key that is not in the policy/)
  for (const position of [622, 625]) {
    const said = await byHand(await log.evidence(position))
    deepEqual(
      said.filter((line) => !line.startsWith('OK')),
      [],
    )
  }
  await log.close()
})

test(
  'what is exported verifies with Go, grows from export to export, and refuses another history',
  { timeout: 120_000 },
  async (t) => {
    const log = await sealedLedger(t)
    const directory = join(log.data, 'export')
    const folder = folderAt(directory)
    const none = (): void => undefined
    await log.append(254)
    for (const more of [0, 1, 1, 300, 66_000]) {
      await appendMany(log, more)
      const old = await folder.read('checkpoint')()
      await log.seal()
      const exported = await exportTlog(log.publishing, folder, none)
      const checkpoint = await readFile(join(directory, 'checkpoint'), 'utf8')
      equal(right(parseHead(checkpoint)).size, exported.size)
      const [key] = right(await log.tlog.keys.list(ORIGIN)())
      equal(await sizeFound(directory, await policyOf(log)), exported.size)
      const oldFile = join(log.data, 'old')
      const before = right(old)
      if (before !== undefined) await writeFile(oldFile, before)
      if (go !== undefined && more < 60_000) {
        const { out, err } = go(
          'tlog',
          key?.key.vkey ?? '',
          directory,
          ...(before === undefined ? [] : [oldFile]),
        )
        equal(out, `verified ${exported.size} entries\n`, err)
      }
    }
    deepEqual(await exportTlog(log.publishing, folder, none), {
      origin: ORIGIN,
      size: 66_557,
      before: 66_557,
      files: 1,
    })
    const fresh = folderAt(join(log.data, 'again'))
    await exportTlog(log.publishing, fresh, none)
    const listed = (of: string) =>
      spawnSync('sh', ['-c', 'find . -type f | sort | xargs sha256sum'], {
        cwd: of,
        encoding: 'utf8',
      }).stdout
    // Partial tiles of sizes that were published stay until the full one is there.
    const kept = listed(directory).split('\n')
    deepEqual(
      listed(fresh.place)
        .split('\n')
        .filter((file) => !kept.includes(file)),
      [],
    )
    await namesFaultsInLevels(directory, await policyOf(log))
    if (go !== undefined) {
      const [key] = right(await log.tlog.keys.list(ORIGIN)())
      const tile = join(directory, 'tile/0/001')
      const bytes = await readFile(tile)
      bytes[77] = (bytes[77] ?? 0) ^ 1
      await writeFile(tile, bytes)
      equal(go('tlog', key?.key.vkey ?? '', directory).code, 1)
    } else t.diagnostic(NO_GO)
    await writeFile(
      join(directory, 'checkpoint'),
      (await readFile(join(directory, 'checkpoint'), 'utf8')).replace('66557', '66558'),
    )
    await exportTlog(log.publishing, folder, none).then(
      () => ok(false),
      (error: Error) =>
        match(error.message, /holds 66558 entries of this log, and the ledger has signed 66557/),
    )
    await tamper(log, 'delete from head where size > 255')
    await exportTlog(log.publishing, fresh, none).then(
      () => ok(false),
      (error: Error) =>
        match(error.message, /holds 66557 entries of this log, and the ledger has signed 255/),
    )
    await log.close()
  },
)

/** The size of an export that our own check takes for good; else why it does not. */
const sizeFound = async (directory: string, policy: Policy): Promise<number | string> => {
  const found = await checked(exportedFilesAt(directory), policy)
  return 'tag' in found ? found.because : found.size
}

/** A tile that is refused, and where, with `bytes` of it changed; it is put back. */
const namesFaultsInLevels = async (directory: string, policy: Policy): Promise<void> => {
  const cases: readonly (readonly [string, number, number, number])[] = [
    ['tile/2/000.p/1', 0, 1, 65_536],
    ['tile/1/000', 32 * 3, 769, 1_024],
    ['tile/1/000', 32 * 255, 65_281, 65_536],
    ['tile/1/001.p/3', 32, 65_793, 66_048],
    ['tile/0/255', 32 * 255, 65_536, 65_536],
    ['tile/0/258', 0, 66_049, 66_049],
    ['tile/entries/258', 9, 66_049, 66_049],
  ]
  for (const [path, byte, position, until] of cases) {
    const file = join(directory, path)
    const whole = await readFile(file)
    const altered = Buffer.from(whole)
    altered[byte] = (altered[byte] ?? 0) ^ 1
    await writeFile(file, altered)
    const fault = await faultIn(exportedFilesAt(directory), policy)
    deepEqual([fault.file, fault.at], [path, { position, until }])
    await writeFile(file, whole)
  }
}

/** No append may have more than 10,000 events. */
const appendMany = async (log: SealedLedger, count: number): Promise<void> => {
  for (let rest = count; rest > 0; rest -= 5_000) await log.append(Math.min(rest, 5_000))
}

test('a policy of no log trusts nobody', () => {
  equal(policyText([]), 'quorum none\n')
})
