/**
 * Every attack on what is published: by whoever has the files, and by whoever has the log's key too.
 * The table of docs/threat-model.md names these tests; what is on the database is in
 * test/contract/verify.test.ts.
 */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { commitTo } from '../../src/capture/commitment.ts'
import { encodeEntry } from '../../src/ledger/entry.ts'
import { E } from '../../src/kernel/fp.ts'
import { parseHead } from '../../src/ledger/tlog/head.ts'
import { formatNote } from '../../src/ledger/tlog/note.ts'
import { nodeHash } from '../../src/ledger/tlog/tree.ts'
import { checkEvidence } from '../../src/publish/check-evidence.ts'
import { parsePolicy, policyText } from '../../src/publish/policy.ts'
import { formatEntryProof, parseEntryProof } from '../../src/publish/proof-file.ts'
import { checked, faultIn } from '../support/checked-export.ts'
import { left, right } from '../support/either.ts'
import { filesOf } from '../support/exported-files.ts'
import { noteSigner } from '../support/note-signer.ts'
import { sampleOf } from '../support/samples.ts'
import {
  type Entries,
  evidenceOf,
  exportOf,
  headOver,
  NAME,
  owner,
  START,
  told,
  toldLog,
} from '../support/told-log.ts'

const SIZE = 300
const AT = 100
const genuine = toldLog(SIZE)
const policy = right(parsePolicy('policy', policyText([owner.key])))
/** What somebody asked for with `head` and kept. */
const kept = [200, 280, SIZE].map((size) => ({
  name: `head-${size}`,
  note: headOver(genuine, size),
}))
const last = (entries: Entries) => entries[entries.length - 1] ?? Buffer.of()
const timeAt = (position: number): number => START + (position - 1) * 1_000
const put = (position: number, ...entries: readonly Buffer[]): Entries =>
  genuine.toSpliced(position - 1, entries.length, ...entries)

type Attack = {
  readonly what: string
  readonly as: Entries
  /** Where the files alone show it, the hashes being as they were. */
  readonly files: readonly [file: string, position: number]
  /** Where the entries show it when all is signed anew; else nobody sees it without a kept head. */
  readonly signed: number | undefined
  /** Of the kept heads, the span before the first that the new log does not grow out of. */
  readonly grown: readonly [position: number, until: number]
}

const attacks: readonly Attack[] = [
  {
    what: 'an entry altered',
    as: put(AT, told({ version: AT - 1, by: 'B. Operator', ts: timeAt(AT) })),
    files: ['tile/entries/000', AT],
    signed: undefined,
    grown: [1, 200],
  },
  {
    what: 'an entry re-timed by half a second',
    as: put(AT, told({ version: AT - 1, ts: timeAt(AT) + 500 })),
    files: ['tile/entries/000', AT],
    signed: undefined,
    grown: [1, 200],
  },
  {
    what: 'an entry written anew with the same meaning',
    as: put(AT, Buffer.from(String(genuine[AT - 1]).replace('"by":', '"by": '))),
    files: ['tile/entries/000', AT],
    signed: AT,
    grown: [1, 200],
  },
  {
    what: 'an entry dropped',
    as: genuine.toSpliced(AT - 1, 1),
    files: ['tile/entries/000', AT],
    signed: AT,
    grown: [1, 200],
  },
  {
    what: 'an entry dropped, and those behind it numbered anew',
    as: toldLog(SIZE - 1).map((entry, i) =>
      i < AT - 1 ? entry : told({ version: i, ts: timeAt(i + 2) }),
    ),
    files: ['tile/entries/000', AT],
    signed: undefined,
    grown: [1, 200],
  },
  {
    what: 'two entries reordered',
    as: put(AT, genuine[AT] ?? Buffer.of(), genuine[AT - 1] ?? Buffer.of()),
    files: ['tile/entries/000', AT],
    signed: AT,
    grown: [1, 200],
  },
  {
    what: 'an entry inserted',
    as: genuine.toSpliced(AT - 1, 0, told({ site: 'two.example', version: 1, ts: timeAt(AT) })),
    files: ['tile/entries/000', AT],
    signed: undefined,
    grown: [1, 200],
  },
  {
    what: 'the end cut off',
    as: genuine.slice(0, 250),
    files: ['tile/entries/000', 251],
    signed: undefined,
    grown: [251, 280],
  },
  {
    what: 'an entry back-dated',
    as: put(SIZE, told({ version: SIZE - 1, ts: timeAt(SIZE) - 3_600_000 })),
    files: ['tile/entries/001.p/44', SIZE],
    signed: SIZE,
    grown: [281, 300],
  },
  {
    what: 'an entry post-dated',
    as: put(SIZE, told({ version: SIZE - 1, ts: timeAt(SIZE) + 3_600_000 })),
    files: ['tile/entries/001.p/44', SIZE],
    signed: undefined,
    grown: [281, 300],
  },
  {
    what: 'another history from some point on',
    as: genuine.map((entry, i) =>
      i < 240 ? entry : told({ version: i, by: 'B. Operator', ts: timeAt(i + 1) }),
    ),
    files: ['tile/entries/000', 241],
    signed: undefined,
    grown: [201, 280],
  },
]

for (const { what, as, files, signed, grown } of attacks) {
  test(`attack on an export, ${what}: the file and the position are named`, async () => {
    const fault = await faultIn(filesOf(exportOf(as, headOver(genuine), genuine)), policy)
    deepEqual([fault.file, fault.at?.position], files)
  })

  test(`attack on an export, ${what}, and all hashes made to fit: it is not what was signed`, async () => {
    const fault = await faultIn(filesOf(exportOf(as, headOver(genuine))), policy)
    const { position = 0, until = 0 } = fault.at ?? {}
    // Where there are more or fewer entries than were signed, the last tile is one that cannot be.
    if (as.length !== SIZE) match(fault.file, /^tile\/[01]\//)
    else ok(position <= files[1] && files[1] <= until, JSON.stringify(fault))
  })

  test(`attack on an export, ${what}, and signed anew with the log’s key: the entries or a kept head show it`, async () => {
    const forged = filesOf(exportOf(as, headOver(as)))
    const alone = await checked(forged, policy)
    deepEqual('tag' in alone ? alone.at : undefined, signed && { position: signed, until: signed })
    const [position, until] = grown
    if (signed !== undefined) return
    const fault = await faultIn(forged, policy, kept)
    deepEqual([fault.file, fault.at], ['checkpoint', { position, until }])
  })
}

test('the genuine log grew out of the heads that were kept of it', async () => {
  const found = await checked(filesOf(exportOf(genuine, headOver(genuine))), policy, kept)
  equal('tag' in found ? found.because : found.kept, 3)
})

test('attack on an export, an entry post-dated: a witness’s time shows it, and the log’s own does not', async () => {
  const witness = noteSigner('witness.example', 'witness', 4)
  const post = attacks.find(({ what }) => what === 'an entry post-dated')?.as ?? []
  const { text, signatures } = right(parseHead(headOver(post))).note
  const note = formatNote({
    text,
    signatures: [...signatures, witness.sign(text, (timeAt(SIZE) + 2_000) / 1_000)],
  })
  const both = right(
    parsePolicy('p', `log ${owner.key.vkey}\nwitness w ${witness.key.vkey}\nquorum w\n`),
  )
  const fault = await faultIn(filesOf(exportOf(post, note)), both)
  deepEqual([fault.file, fault.at?.position], ['checkpoint', SIZE])
  match(fault.because, /later than that at which a witness saw it/)
})

/** A head whose signatures are others; each is refused for evidence and for an export. */
const strangers: readonly (readonly [string, string])[] = [
  ['another key under the log’s name', headOver(genuine, SIZE, [noteSigner(NAME, 'log', 9)])],
  ['the key of another log', headOver(genuine, SIZE, [noteSigner('other.example/log', 'log', 3)])],
  [
    'a forged key id',
    headOver(genuine, SIZE, [
      {
        key: owner.key,
        sign: (text) => ({ ...noteSigner(NAME, 'log', 9).sign(text), id: owner.key.id }),
      },
    ]),
  ],
  [
    'the genuine signature of another size',
    formatNote({
      text: right(parseHead(headOver(genuine))).note.text,
      signatures: right(parseHead(headOver(genuine, SIZE - 1))).note.signatures,
    }),
  ],
]

const before = { size: 200, note: headOver(genuine, 200) }

for (const [what, checkpoint] of strangers)
  test(`attack on a head, ${what}: refused in evidence and in an export`, async () => {
    equal((await faultIn(filesOf(exportOf(genuine, checkpoint)), policy)).file, 'checkpoint')
    equal(
      left(checkEvidence(evidenceOf(genuine, before, checkpoint), policy)).file,
      'event.tlog-proof',
    )
  })

for (const { what, as, signed } of attacks.filter(({ grown: [, until] }) => until === 200)) {
  const whole = evidenceOf(genuine.slice(0, AT), { size: 80, note: headOver(genuine, 80) })
  test(`attack on evidence, ${what}: those bytes are not in the log there`, () => {
    const forged = new Map(whole).set('event.json', as[AT - 1] ?? Buffer.of())
    deepEqual(left(checkEvidence(forged, policy)), {
      tag: 'EvidenceFault',
      file: 'event.json',
      because: 'these bytes are not in the log at this place',
    })
  })

  test(`attack on evidence, ${what} before it, and signed anew with the log’s key: the head before shows it`, () => {
    const forged = evidenceOf(as, before)
    const { file, because } = left(checkEvidence(forged, policy))
    equal(file, 'consistency.txt')
    match(because, /did not grow out of the earlier one/)
    // Whoever has the key, and is believed without an earlier head, may tell what he likes.
    const bare = new Map([...forged].filter(([name]) => name.startsWith('event.')))
    equal(E.isRight(checkEvidence(bare, policy)), true, String(signed))
  })
}

test('attack on evidence, a node passed off as a leaf, a hash more or less, another index: refused', () => {
  const entries = genuine.slice(0, 4)
  const whole = evidenceOf(entries, { size: 2, note: headOver(genuine, 2) })
  ok(E.isRight(checkEvidence(whole, policy)))
  const { index, proof, checkpoint } = right(parseEntryProof(String(whole.get('event.tlog-proof'))))
  const refused = (
    event: Buffer,
    changed: Partial<Parameters<typeof formatEntryProof>[0]>,
  ): void => {
    const text = formatEntryProof({ index, proof, checkpoint, ...changed })
    const forged = new Map([
      ['event.json', event],
      ['event.tlog-proof', Buffer.from(text)],
    ])
    equal(left(checkEvidence(forged, policy)).file, 'event.json')
  }
  const event = last(entries)
  const [sibling = Buffer.of(), ...above] = proof
  const node = Buffer.concat([Buffer.of(1), sibling, sibling])
  for (const [forged, at] of [
    [node.subarray(1), 1],
    [node, 1],
    [nodeHash(sibling, sibling), 1],
  ] as const)
    refused(forged, { index: at, proof: above })
  refused(event, { proof: above })
  refused(event, { proof: [...proof, sibling] })
  refused(event, { proof: proof.toReversed() })
  for (const other of [0, 1, 2, 4, 7]) refused(event, { index: other })
})

test('attack on evidence, a body swapped, with its salt and without, or bytes moved into the salt: refused', () => {
  const [bytes, salt] = [Buffer.from('google.example, pub-1, DIRECT\n'), Buffer.alloc(32, 7)]
  const { event: sample, envelope } = sampleOf('ResponseReceived')
  ok(sample.type === 'ResponseReceived')
  const body = {
    kept: true,
    alg: 'sha256-salt32',
    commit: commitTo(bytes, salt),
    bytes: bytes.length,
    truncated: false,
  } as const
  const entry = encodeEntry({ ...sample, body }, envelope)
  const bundle = evidenceOf([...genuine, entry], { size: SIZE, note: headOver(genuine) })
  const withBody = (held: Buffer, under: Buffer) =>
    checkEvidence(new Map([...bundle, ['body.bin', held], ['body.salt', under]]), policy)
  equal(right(withBody(bytes, salt)).body, 'fits')
  const other = Buffer.from('google.example, pub-2, DIRECT\n')
  for (const [held, under] of [
    [other, salt],
    [other, Buffer.alloc(32, 8)],
    [bytes, Buffer.alloc(32, 8)],
    [bytes.subarray(1), Buffer.concat([salt, bytes.subarray(0, 1)])],
    [Buffer.concat([salt.subarray(31), bytes]), salt.subarray(0, 31)],
    [Buffer.concat([bytes, Buffer.of(10)]), salt],
  ] as const)
    match(left(withBody(held, under)).file, /^body\./)
})
