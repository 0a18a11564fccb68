/** Who is a witness, how many are a quorum, and how cosignatures come under a head. */
import { deepEqual, equal, match, notEqual, ok, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { instant } from '../../../../src/kernel/instant.ts'
import { position } from '../../../../src/kernel/position.ts'
import type { Recorded } from '../../../../src/ledger/entry.ts'
import { logStream } from '../../../../src/ledger/stream.ts'
import {
  type Cosignature,
  cosignatureOf,
  cosignedNote,
  earliestOfEach,
  isCosignatureOf,
  newestOfEach,
} from '../../../../src/ledger/tlog/cosignature.ts'
import { headText, parseHead, signersOf } from '../../../../src/ledger/tlog/head.ts'
import { formatNote } from '../../../../src/ledger/tlog/note.ts'
import {
  NO_WITNESSES,
  quorumOf,
  type Witnesses,
  witnessesOf,
} from '../../../../src/ledger/tlog/witness.ts'
import { parsePolicy, policyText } from '../../../../src/publish/policy.ts'
import { addWitness, removeWitness, setQuorum } from '../../../../src/shell/tlog/name-witnesses.ts'
import { right } from '../../../support/either.ts'
import { noteSigner } from '../../../support/note-signer.ts'

const log = noteSigner('ledger.example/crawl', 'log', 1)
const signers = ['b.example/w', 'a.example/w', 'c.example/w'].map((name, i) =>
  noteSigner(name, 'witness', 10 + i),
)
const [b, a, c] = signers
ok(a !== undefined && b !== undefined && c !== undefined)

const changed = (
  ...changes: readonly ((now: Witnesses) => Pick<Witnesses, 'named' | 'quorum'>)[]
): Witnesses =>
  changes.reduce<Witnesses>((now, change) => ({ ...now, ...change(now) }), NO_WITNESSES)
const added = (...of: readonly (typeof log)[]) =>
  of.map(({ key }, i) => addWitness(`https://w${i}.example/`, key.vkey))

describe('naming witnesses', () => {
  test('a quorum is more than half of them, unless a person said how many', () => {
    deepEqual(
      [0, 1, 2, 3].map((count) => quorumOf(changed(...added(...signers.slice(0, count))))),
      [0, 1, 2, 2],
    )
    equal(quorumOf(changed(...added(...signers), setQuorum(1))), 1)
    equal(quorumOf(changed(...added(...signers), setQuorum(3), setQuorum(null))), 2)
  })

  test('a quorum that a removal makes impossible is more than half again', () => {
    const two = changed(...added(...signers), setQuorum(3), removeWitness(c.key.name))
    deepEqual([two.named.length, two.quorum, quorumOf(two)], [2, null, 2])
    equal(changed(...added(...signers), setQuorum(2), removeWitness(c.key.name)).quorum, 2)
  })

  const refused: readonly (readonly [string, () => unknown, RegExp])[] = [
    ['an address that is none', () => addWitness('w.example', a.key.vkey), /address.*it is none/],
    ['another scheme', () => addWitness('ftp://w.example/', a.key.vkey), /https:\/\/ or http:\/\//],
    ['a password', () => addWitness('https://u:p@w.example/', a.key.vkey), /recorded for ever/],
    ['a query', () => addWitness('https://w.example/?a', a.key.vkey), /has no query/],
    ['a key that is none', () => addWitness('https://w.example/', 'x'), /expected NAME\+ID\+KEY/],
    [
      'another id',
      () => addWitness('https://w.example/', a.key.vkey.replace(a.key.id, '00000000')),
      /an id that belongs/,
    ],
    ['a key of a log', () => addWitness('https://w.example/', log.key.vkey), /logs \(0x01\).*0x04/],
    [
      'the name of the group',
      () => addWitness('https://w.example/', noteSigner('witnesses', 'witness', 9).key.vkey),
      /cannot have a witness of the name witnesses/,
    ],
    [
      'a name that is taken',
      () => changed(...added(a, noteSigner(a.key.name, 'witness', 9))),
      /there is a witness a\.example\/w already, at https:\/\/w0\.example\/; take that one out first/,
    ],
    [
      'a key that is taken',
      () => changed(...added(a, noteSigner('other', 'witness', 11))),
      /the witness a\.example\/w has this key/,
    ],
    [
      'more than there may be',
      () =>
        changed(
          ...added(...Array.from({ length: 17 }, (_, i) => noteSigner(`w${i}`, 'witness', 20 + i))),
        ),
      /at most 16/,
    ],
    ['a quorum of none', () => changed(...added(a), setQuorum(0)), /from 1 to .* which is 1/],
    ['a quorum of too many', () => changed(...added(a), setQuorum(2)), /from 1 to .* which is 1/],
    ['a removal of nobody', () => changed(removeWitness('x')), /there is no witness x/],
  ]
  for (const [what, naming, why] of refused)
    test(`${what} is refused, and why is said`, () => throws(naming, why))

  test('the newest naming holds; every key that was ever named is remembered', () => {
    const event = (of: readonly (typeof log)[], at: number): Recorded => ({
      position: position(at),
      stream: logStream,
      version: at,
      ts: instant(at),
      run: 'r',
      event: {
        type: 'WitnessesNamed',
        v: 1,
        ...recordOf(changed(...added(...of))),
        by: null,
        note: null,
      },
    })
    const recordOf = ({ named, quorum }: Witnesses) => ({
      witnesses: named.map(({ key, url }) => ({ url, vkey: key.vkey })),
      quorum,
    })
    const told = witnessesOf([event([a, b], 1), event([b, c], 2)])
    deepEqual(
      [told.named.map(({ key }) => key.vkey), told.ever.map(({ vkey }) => vkey)],
      [
        [b.key.vkey, c.key.vkey],
        [a.key.vkey, b.key.vkey, c.key.vkey],
      ],
    )
  })

  test('a policy names them, their group and the quorum, and reads back as it was', () => {
    const text = policyText([log.key], changed(...added(a, b, c)))
    equal(
      text,
      `log ${log.key.vkey}
witness a.example/w ${a.key.vkey}
witness b.example/w ${b.key.vkey}
witness c.example/w ${c.key.vkey}
group witnesses 2 a.example/w b.example/w c.example/w
quorum witnesses
`,
    )
    const policy = right(parsePolicy('policy', text))
    equal(policy.rules.map((rule) => `${rule}\n`).join(''), text)
    match(policyText([log.key], NO_WITNESSES), /\nquorum none\n$/)
  })
})

describe('cosignatures under a head', () => {
  const head = { origin: 'ledger.example/crawl', size: 7, root: Buffer.alloc(32, 1) }
  const text = headText(head)
  const note = formatNote({ text, signatures: [log.sign(text)] })
  const by = (signer: typeof log, time: number): Cosignature =>
    cosignatureOf(signer.key, { size: 7, time, ...signer.sign(text, time) })
  const all = [by(a, 300), by(b, 100), by(a, 200), by(b, 400)]

  test('one of each witness, by name, whatever order they came in', () => {
    const merged = cosignedNote(note, newestOfEach(all))
    equal(merged, cosignedNote(note, newestOfEach(all.toReversed())))
    const parsed = right(parseHead(merged))
    equal(parsed.note.text, text)
    deepEqual(
      right(signersOf(parsed.note, [log.key, a.key, b.key])).map(({ key, time }) => [
        key.name,
        time,
      ]),
      [
        ['ledger.example/crawl', null],
        ['a.example/w', 300],
        ['b.example/w', 400],
      ],
    )
    deepEqual(
      earliestOfEach(all).map(({ time }) => time),
      [200, 100],
    )
    equal(cosignedNote(note, []), note)
  })

  test('one counts only with its own time, head and key', () => {
    const one = by(a, 300)
    equal(isCosignatureOf(note, one), true)
    equal(isCosignatureOf(note, { ...one, time: 301 }), false)
    equal(isCosignatureOf(note, { ...one, size: 8 }), false)
    equal(isCosignatureOf(note, { ...one, key: b.key.vkey }), false)
    equal(isCosignatureOf(note, { ...one, key: log.key.vkey }), false)
    equal(isCosignatureOf(note, { ...one, key: 'none' }), false)
    const other = headText({ ...head, root: Buffer.alloc(32, 2) })
    equal(isCosignatureOf(formatNote({ text: other, signatures: [log.sign(other)] }), one), false)
    notEqual(one.signature.length, 72)
  })
})
