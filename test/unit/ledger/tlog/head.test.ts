/** C2SP signed-note and tlog-checkpoint, read as strictly as evidence has to be. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { describeParseFailure } from '../../../../src/kernel/codec.ts'
import { E } from '../../../../src/kernel/fp.ts'
import { fromBase64, hashFromBase64 } from '../../../../src/ledger/tlog/base64.ts'
import { headText, parseHead, signersOf } from '../../../../src/ledger/tlog/head.ts'
import { isKeyName, parseVerifierKey } from '../../../../src/ledger/tlog/key.ts'
import { formatNote, parseNote } from '../../../../src/ledger/tlog/note.ts'
import { left, right } from '../../../support/either.ts'
import { noteSigner } from '../../../support/note-signer.ts'

const log = noteSigner('ledger.example/crawl', 'log', 1)
const successor = noteSigner('ledger.example/crawl', 'log', 2)
const witness = noteSigner('witness.example/w', 'witness', 3)
const root = Buffer.alloc(32, 7)
const text = headText({ origin: 'ledger.example/crawl', size: 5, root })
const note = formatNote({ text, signatures: [log.sign(text), witness.sign(text, 1_794_105_063)] })

const why = (checkpoint: string): string => describeParseFailure(left(parseHead(checkpoint)))

test('a head is read back as it was written, with who signed it and when', () => {
  const head = right(parseHead(note))
  deepEqual(
    { ...head, note: undefined },
    { origin: 'ledger.example/crawl', size: 5, root, note: undefined },
  )
  equal(formatNote(head.note), note)
  deepEqual(right(signersOf(head.note, [log.key, witness.key])), [
    { key: log.key, time: null },
    { key: witness.key, time: 1_794_105_063 },
  ])
  deepEqual(right(signersOf(head.note, [successor.key])), [])
})

test('three lines, a size in plain decimal, a root of 32 bytes, and nothing else', () => {
  for (const [from, to] of [
    ['\n5\n', '\n05\n'],
    ['\n5\n', '\n+5\n'],
    ['\n5\n', '\n0x5\n'],
    ['\n5\n', '\n5 \n'],
    ['\n5\n', '\n-5\n'],
    ['\n5\n', '\n99999999999999999999\n'],
    ['=\n\n', '=\nextension\n\n'],
    ['BwcH', 'BwcHBwcH'],
    ['Bwc=', 'Bwd='],
    ['ledger.example/crawl\n5', '\n5'],
  ] as const)
    ok(E.isLeft(parseHead(note.replace(from, to))), JSON.stringify([from, to]))
})

test('a note is text, a blank line, signature lines, in exactly these bytes', () => {
  match(why(note.slice(0, -1)), /blank line/)
  match(why(note.replace('\n\n', '\n')), /blank line/)
  match(why(`${note}\n`), /signature lines/)
  match(why(note.replaceAll('\n', '\r\n')), /control characters/)
  match(why(note.replace('— ', '- ')), /signature lines/)
  match(why(note.replace('— ledger', '—  ledger')), /signature lines/)
  match(why(note.replace(/\n$/, ' \n')), /signature lines/)
  match(why(text + '\n' + '— a.example AAAAAAA=\n'.repeat(101)), /at most 100/)
  match(why(`${'x'.repeat(70_000)}\n\n— a AAAAAAA=\n`), /65535 bytes/)
  match(why(`${text}\n— a.example AAAA\n`), /signature lines/)
  // The text may have blank lines itself: the last one counts.
  equal(right(parseNote('a\n\nb\n\n— a.example AAAAAAA=\n')).text, 'a\n\nb\n')
})

test('a signature that claims a known key and is not its, or is there twice, makes the note false', () => {
  const signed = (...signatures: readonly ReturnType<typeof log.sign>[]) =>
    signersOf({ text, signatures }, [log.key, witness.key])
  const good = log.sign(text)
  ok(E.isRight(signed(good)))
  ok(E.isLeft(signed(good, good)))
  ok(E.isLeft(signed({ ...successor.sign(text), id: log.key.id })))
  ok(E.isLeft(signed({ ...good, signature: good.signature.subarray(1) })))
  ok(E.isLeft(signed(good, { ...witness.sign(text, 5), signature: Buffer.alloc(72) })))
  ok(E.isLeft(signed(good, { ...witness.sign(text, 5), signature: Buffer.alloc(64) })))
  const dated = witness.sign(text, 5)
  dated.signature.writeBigUInt64BE(6n)
  ok(E.isLeft(signed(dated)), 'the time is signed too')
  // Another name under the same id is another key.
  deepEqual(right(signed({ ...good, name: 'other.example' })), [])
})

test('a key is name, id and typed key that belong together', () => {
  deepEqual(right(parseVerifierKey(log.key.vkey)), log.key)
  deepEqual(right(parseVerifierKey(witness.key.vkey)), witness.key)
  const { vkey, id } = log.key
  for (const other of [
    vkey.replace('ledger', 'ledgex'),
    vkey.replace(id, id.toUpperCase().replace(/[A-F]/, 'G')),
    vkey.replace(id, '00000000'),
    `${vkey}=`,
    `${vkey} `,
    vkey.replace('+AY', '+BY'),
    vkey.replace('+A', '+B'),
    'a+b',
    '',
  ])
    ok(E.isLeft(parseVerifierKey(other)), other)
})

test('what may name a log', () => {
  for (const name of ['ledger.example/crawl', 'simulated.invalid/x', 'zürich.example'])
    ok(isKeyName(name), name)
  for (const name of ['', 'a b', 'a+b', 'a\nb', 'a\u200eb', 'x'.repeat(201)])
    ok(!isKeyName(name), JSON.stringify(name))
})

test('base64 in its one form only', () => {
  equal(fromBase64('AA==')?.length, 1)
  for (const other of ['AA', 'AA=', 'AB==', 'A-==', 'AA==\n', ' AA==', 'AA==AA=='])
    equal(fromBase64(other), undefined, other)
  equal(hashFromBase64('AA=='), undefined)
})
