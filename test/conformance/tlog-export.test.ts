/** An export: whole it convinces us and Go; with one bit changed, or one file, nobody. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { cp, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { exportedFilesAt } from '../../src/adapters/files/exported-files.ts'
import { folderAt } from '../../src/adapters/files/folder.ts'
import { parseHead } from '../../src/ledger/tlog/head.ts'
import { formatNote } from '../../src/ledger/tlog/note.ts'
import type { Folder } from '../../src/publish/folder.ts'
import { parsePolicy, type Policy } from '../../src/publish/policy.ts'
import { exportTlog } from '../../src/shell/tlog/export-tlog.ts'
import { rotateKey } from '../../src/shell/tlog/rotate.ts'
import { checked, exportedTo, faultIn, policyOf } from '../support/checked-export.ts'
import { right } from '../support/either.ts'
import { exportIn, filesOf } from '../support/exported-files.ts'
import { goVerifier, NO_GO } from '../support/go-verifier.ts'
import { RUN } from '../support/ledgers.ts'
import { noteSigner } from '../support/note-signer.ts'
import { ORIGIN, sealedLedger } from '../support/sealing.ts'

/** All eight bits of each byte; else of each byte one, but of small files all. */
const isLong = Number(process.env['FC_RUNS'] ?? 0) >= 1_000
const SMALL = 2_500

const go = goVerifier()

type Exported = { readonly directory: string; readonly policy: Policy }

/** 263 entries, exported at 3, 258 and 263: full and partial files, two levels, earlier sizes. */
const exported = async (t: TestContext): Promise<Exported> => {
  const log = await sealedLedger(t)
  let directory = ''
  for (const more of [2, 255, 5]) {
    await log.append(more)
    directory = await exportedTo(log)
  }
  const policy = await policyOf(log)
  await log.close()
  return { directory, policy }
}

const FILES = [
  'checkpoint',
  'tile/0/000',
  'tile/0/001.p/2',
  'tile/0/001.p/7',
  'tile/1/000.p/1',
  'tile/entries/000',
  'tile/entries/001.p/2',
  'tile/entries/001.p/7',
]
const EARLIER = ['tile/0/001.p/2', 'tile/entries/001.p/2']

test(
  'every single bit of an export counts, and the file it is in is named',
  { timeout: 3_600_000 },
  async (t) => {
    const { directory, policy } = await exported(t)
    const bytes = new Map(await exportIn(directory))
    deepEqual([...bytes.keys()], FILES)
    const files = filesOf(bytes)
    const found = await checked(files, policy)
    ok(!('tag' in found))
    deepEqual([found.size, found.files, found.earlier], [263, 8, 2])
    let bits = 0
    for (const [file, whole] of new Map(bytes)) {
      const altered = Buffer.from(whole)
      bytes.set(file, altered)
      for (const bit of bitsOf(whole)) {
        altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        const fault = await faultIn(files, policy)
        equal(fault.file, file, `bit ${bit} of ${file}: ${fault.because}`)
        altered[bit >> 3] = whole[bit >> 3] ?? 0
        bits += 1
      }
      bytes.set(file, whole)
    }
    t.diagnostic(`${bits} bits`)
    ok(bits > 50_000)
  },
)

const bitsOf = function* ({ length }: Buffer): Generator<number> {
  for (let byte = 0; byte < length; byte += 1)
    if (isLong || length <= SMALL) for (let bit = 0; bit < 8; bit += 1) yield byte * 8 + bit
    else yield byte * 8 + (byte % 8)
}

type Change = (directory: string) => Promise<unknown>

/** Makes the change in a copy; the fault it is refused for, or undefined. */
const refusal = async ({ directory, policy }: Exported, change: Change) => {
  const copy = `${directory}-changed`
  await rm(copy, { recursive: true, force: true })
  await cp(directory, copy, { recursive: true })
  await change(copy)
  const found = await checked(exportedFilesAt(copy), policy)
  return 'tag' in found ? found : undefined
}

/** What can be done to the file at `path`, which holds `bytes`. */
const changesOf = (path: string, bytes: Buffer): ReadonlyMap<string, Change> => {
  const write = (changed: Uint8Array) => (to: string) => writeFile(join(to, path), changed)
  return new Map<string, Change>([
    ['emptied', write(Buffer.alloc(0))],
    ['without its first byte', write(bytes.subarray(1))],
    ['without its last byte', write(bytes.subarray(0, -1))],
    ['without its last hash', write(bytes.subarray(0, -32))],
    ['with a byte more', write(Buffer.concat([bytes, Buffer.of(0)]))],
    ['with a line more', write(Buffer.concat([bytes, Buffer.from('\n')]))],
    ['twice', write(Buffer.concat([bytes, bytes]))],
    ['moved away', (to) => rename(join(to, path), join(to, `${path}.old`))],
    [
      'a link to itself elsewhere',
      async (to) => {
        await rename(join(to, path), join(to, '..', 'elsewhere'))
        await symlink('../'.repeat(path.split('/').length) + 'elsewhere', join(to, path))
      },
    ],
    [
      'a directory',
      async (to) => {
        await rm(join(to, path))
        await mkdir(join(to, path))
      },
    ],
  ])
}

test('an export is refused with any file changed, moved, swapped, linked or left out', async (t) => {
  const whole = await exported(t)
  const bytes = await exportIn(whole.directory)
  for (const [path, held] of bytes) {
    for (const [what, change] of changesOf(path, held)) {
      const fault = await refusal(whole, change)
      equal(fault?.file.startsWith(path), true, `${path} ${what}: ${fault?.file}`)
    }
    const removed = await refusal(whole, (to) => rm(join(to, path)))
    // Nobody can know which smaller sizes were published: what is left of them may go.
    equal(removed !== undefined && path.startsWith(removed.file), !EARLIER.includes(path), path)
    for (const [other, content] of bytes)
      if (other !== path)
        ok(
          (await refusal(whole, async (to) => {
            await writeFile(join(to, path), content)
            await writeFile(join(to, other), held)
          })) !== undefined,
          `${path} and ${other} swapped`,
        )
  }
})

test('an export is refused with anything in it that does not belong', async (t) => {
  const whole = await exported(t)
  const bytes = await exportIn(whole.directory)
  const part = (path: string, length: number) => bytes.get(path)?.subarray(0, length)
  const strays: readonly (readonly [string, Buffer | undefined])[] = [
    ['README', Buffer.of()],
    ['checkpoint~', bytes.get('checkpoint')],
    ['tile/0/002', part('tile/0/000', 8_192)],
    ['tile/0/001', part('tile/0/000', 8_192)],
    ['tile/0/1', part('tile/0/000', 8_192)],
    ['tile/0/x000/000', part('tile/0/000', 8_192)],
    ['tile/00/000', part('tile/0/000', 8_192)],
    ['tile/2/000.p/1', part('tile/1/000.p/1', 32)],
    ['tile/1/000.p/2', part('tile/0/000', 64)],
    ['tile/0/001.p/8', part('tile/0/000', 256)],
    ['tile/0/001.p/07', part('tile/0/001.p/7', 224)],
    ['tile/0/001.p/0', Buffer.of()],
    ['tile/0/000.p/256', part('tile/0/000', 8_192)],
    ['tile/0/001.p/3', part('tile/0/000', 96)],
    ['tile/0/000.p/3', part('tile/0/001.p/7', 96)],
    ['tile/entries/002', bytes.get('tile/entries/000')],
    ['tile/entries/001.p/3', part('tile/entries/001.p/7', 100)],
    ['tile/entries/x001/000', Buffer.of()],
    ['tile/7/000', Buffer.of()],
    ['tile/0/001.p/7.incoming-1', Buffer.of()],
    ['tile/0/000\u001b[2J', Buffer.of()],
  ]
  for (const [path, held] of strays) {
    const fault = await refusal(whole, async (to) => {
      await mkdir(join(to, path, '..'), { recursive: true })
      await writeFile(join(to, path), held ?? '')
    })
    ok(fault !== undefined && path.startsWith(fault.file), `${path}: ${fault?.file}`)
  }
  const empty = await refusal(whole, (to) => mkdir(join(to, 'tile/0/000.p')))
  equal(empty?.file, 'tile/0/000.p')
  // A partial tile that some earlier size had may be there, also beside the full one.
  const earlier = await refusal(whole, async (to) => {
    await mkdir(join(to, 'tile/0/000.p'))
    await writeFile(join(to, 'tile/0/000.p/3'), part('tile/0/000', 96) ?? '')
  })
  equal(earlier, undefined)
})

test('of an altered export the positions are named exactly, and the file at fault', async (t) => {
  const { directory, policy } = await exported(t)
  const bytes = new Map(await exportIn(directory))
  const files = filesOf(bytes)
  const at = async (path: string, byte: number) => {
    const whole = bytes.get(path) ?? Buffer.of()
    const altered = Buffer.from(whole)
    altered[byte] = (altered[byte] ?? 0) ^ 1
    bytes.set(path, altered)
    const fault = await faultIn(files, policy)
    bytes.set(path, whole)
    return [fault.file, fault.at?.position, fault.at?.until]
  }
  const first = bytes.get('tile/entries/000') ?? Buffer.of()
  deepEqual(await at('tile/entries/000', 9), ['tile/entries/000', 1, 1])
  deepEqual(await at('tile/entries/000', 2 + first.readUInt16BE(0) + 9), ['tile/entries/000', 2, 2])
  deepEqual(await at('tile/entries/000', first.length - 1), ['tile/entries/000', 256, 256])
  deepEqual(await at('tile/entries/001.p/7', 9), ['tile/entries/001.p/7', 257, 257])
  deepEqual(await at('tile/0/000', 32 * 41 + 5), ['tile/0/000', 42, 42])
  deepEqual(await at('tile/0/001.p/7', 5), ['tile/0/001.p/7', 257, 257])
  deepEqual(await at('tile/0/001.p/2', 33), ['tile/0/001.p/2', 258, 258])
  deepEqual(await at('tile/1/000.p/1', 5), ['tile/1/000.p/1', 1, 256])
})

test('an export is signed by whom the policy names: log, witnesses, the key in force', async (t) => {
  const log = await sealedLedger(t)
  await log.append(5)
  const bytes = new Map(await exportIn(await exportedTo(log)))
  const files = filesOf(bytes)
  const policy = await policyOf(log)
  const vkey = policy.logs[0]?.vkey ?? ''
  const witness = noteSigner('witness.example', 'witness', 7)
  const witnessed = right(
    parsePolicy('p', `log ${vkey}\nwitness w ${witness.key.vkey}\nquorum w\n`),
  )
  const why = async (by: Policy) => (await faultIn(files, by)).because
  match(await why(witnessed), /too few witnesses/)
  const note = bytes.get('checkpoint')?.toString() ?? ''
  const { text, signatures } = right(parseHead(note)).note
  const cosign = (time: number) =>
    bytes.set(
      'checkpoint',
      Buffer.from(formatNote({ text, signatures: [...signatures, witness.sign(text, time)] })),
    )
  const newest = await checked(files, policy)
  ok(!('tag' in newest))
  const seconds = Math.floor(Date.parse(newest.ts) / 1_000)
  cosign(seconds + 5)
  const found = await checked(files, witnessed)
  ok(!('tag' in found))
  deepEqual([found.witnesses, found.witnessed !== null], [['witness.example'], true])
  match(await why(policy), /a key that is not in the policy/)
  const cosigned = bytes.get('checkpoint') ?? Buffer.of()
  for (let bit = 0; bit < cosigned.length * 8; bit += 1) {
    const altered = Buffer.from(cosigned)
    altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    bytes.set('checkpoint', altered)
    equal((await faultIn(files, witnessed)).file, 'checkpoint', `bit ${bit}`)
  }
  cosign(seconds - 100)
  match(await why(witnessed), /says a time later than that at which a witness saw it/)
  bytes.set('checkpoint', Buffer.from(note))

  const other = noteSigner('ledger.example/crawl', 'log', 9)
  const stranger = right(parsePolicy('p', `log ${other.key.vkey}\nquorum none\n`))
  match(await why(stranger), /a key that is not in the policy/)
  await log.close()
})

test('whoever holds a key that was replaced cannot sign an export any more', async (t) => {
  const log = await sealedLedger(t)
  await log.seal()
  const [old] = right(await log.tlog.keys.list(ORIGIN)())
  await rotateKey({ ...log.tlog, ledger: log.ledger }, log.seal, { run: RUN, by: 'A', note: null })
  await log.append(2)
  const bytes = new Map(await exportIn(await exportedTo(log)))
  const policy = await policyOf(log)
  ok(!('tag' in (await checked(filesOf(bytes), policy))))
  const { text, signatures } = right(parseHead(String(bytes.get('checkpoint')))).note
  const { name = '', id = '' } = old?.key ?? {}
  const signature = old?.sign?.(Buffer.from(text)) ?? Buffer.of()
  const stolen = { name, id, signature }
  bytes.set('checkpoint', Buffer.from(formatNote({ text, signatures: [stolen] })))
  const refused = await faultIn(filesOf(bytes), policy)
  deepEqual([refused.file, refused.at?.position], ['checkpoint', 2])
  match(refused.because, /not signed by the key that the log took into use/)
  bytes.set('checkpoint', Buffer.from(formatNote({ text, signatures: [stolen, ...signatures] })))
  ok(!('tag' in (await checked(filesOf(bytes), policy))))
  await log.close()
})

test(
  'Go and we take the same exports, and refuse the same altered ones',
  { skip: go === undefined ? NO_GO : false },
  async (t) => {
    const { directory, policy } = await exported(t)
    const vkey = policy.logs[0]?.vkey ?? ''
    equal(go?.('tlog', vkey, directory).out, 'verified 263 entries\n')
    // Files of earlier sizes are what Go does not look at, and spellings of base64 what it forgives.
    for (const path of FILES.filter((file) => file !== 'checkpoint' && !EARLIER.includes(file))) {
      const whole = await readFile(join(directory, path))
      for (const part of [0, 0.3, 0.7, 0.999]) {
        const altered = Buffer.from(whole)
        const byte = Math.floor(whole.length * part)
        altered[byte] = (altered[byte] ?? 0) ^ 4
        await writeFile(join(directory, path), altered)
        equal((await faultIn(exportedFilesAt(directory), policy)).file, path)
        equal(go?.('tlog', vkey, directory).code, 1, `${path}, byte ${byte}`)
      }
      await writeFile(join(directory, path), whole)
    }
  },
)

test('an export that was cut off, wherever, is made whole by the next one', async (t) => {
  const log = await sealedLedger(t)
  await log.append(260)
  await log.seal()
  const policy = await policyOf(log)
  for (let writes = 0; ; writes += 1) {
    const directory = join(log.data, `cut-${writes}`)
    const folder = folderAt(directory)
    let left = writes
    const cut: Folder = {
      ...folder,
      write: (name, bytes) => {
        if (left === 0) return folder.write('.incoming-1', bytes.slice(0, 10))
        left -= 1
        return folder.write(name, bytes)
      },
    }
    await exportTlog(log.publishing, cut, () => undefined)
    if (left > 0) break
    await log.append(1)
    await log.seal()
    await exportTlog(log.publishing, folder, () => undefined)
    const found = await checked(exportedFilesAt(directory), policy)
    ok(!('tag' in found), `cut off after ${writes} writes`)
    equal(found.size, 262 + writes)
  }
  await log.close()
})
