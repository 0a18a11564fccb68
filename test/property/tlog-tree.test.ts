/** RFC 6962 §2.1, RFC 9162 §2.1: the tree and its proofs, for any size, against the definition itself. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { leafHash } from '../../src/ledger/entry.ts'
import {
  consistencySpans,
  inclusionSpans,
  isGrowth,
  isIncluded,
} from '../../src/ledger/tlog/proof.ts'
import {
  entriesIn,
  entriesPath,
  entryBundle,
  tileAt,
  tilePath,
} from '../../src/ledger/tlog/tile.ts'
import { Edge, heightOf, joined, type Span, subtreesOf } from '../../src/ledger/tlog/tree.ts'
import { naiveConsistency, naiveInclusion, naiveLeaf, naiveRoot } from '../support/naive-tree.ts'
import { fc } from '../support/property.ts'

const leaves = Array.from({ length: 700 }, (_, i) => naiveLeaf(Buffer.from(`entry ${i}`)))

/** The hash of a span, from hashes of complete subtrees only, as a store has them. */
const hashOf = (span: Span): Buffer =>
  joined(
    subtreesOf(span).map(({ height, index }) =>
      naiveRoot(leaves.slice(index * 2 ** height, (index + 1) * 2 ** height)),
    ),
  )

const edgeOf = (size: number): Edge => {
  const edge = new Edge()
  for (const leaf of leaves.slice(0, size)) edge.append(leaf)
  return edge
}

const size = fc.integer({ min: 1, max: leaves.length })
const sizeAndIndex = size.chain((n) => fc.tuple(fc.constant(n), fc.integer({ min: 0, max: n - 1 })))
const twoSizes = size.chain((n) => fc.tuple(fc.integer({ min: 1, max: n }), fc.constant(n)))

test('RFC6962_2.1: a leaf is hashed with its prefix', () => {
  const entry = Buffer.from('{"v":1}')
  deepEqual(leafHash(entry), naiveLeaf(entry))
})

test('RFC6962_2.1: the root of every size up to 300, leaf by leaf', () => {
  const edge = new Edge()
  for (let n = 0; n <= 300; n += 1) {
    deepEqual(edge.root(), naiveRoot(leaves.slice(0, n)))
    equal(edge.size, n)
    edge.append(leaves[n] ?? Buffer.alloc(0))
  }
})

test('an edge that is taken up again at any size goes on as if it had never been put down', () => {
  fc.assert(
    fc.property(twoSizes, ([older, newer]) => {
      const subtrees = subtreesOf({ from: 0, to: older })
      const edge = new Edge(
        older,
        subtrees.map(({ height, index }) =>
          hashOf({ from: index * 2 ** height, to: (index + 1) * 2 ** height }),
        ),
      )
      for (const leaf of leaves.slice(older, newer)) edge.append(leaf)
      deepEqual(edge.root(), naiveRoot(leaves.slice(0, newer)))
    }),
  )
})

test('appending tells of every complete subtree once, with its hash', () => {
  const told = new Map<string, Buffer>()
  const edge = new Edge()
  for (const leaf of leaves.slice(0, 260))
    edge.append(leaf, ({ height, index }, hash) => {
      ok(!told.has(`${height}/${index}`))
      told.set(`${height}/${index}`, hash)
    })
  for (let height = 0; height <= 8; height += 1)
    for (let index = 0; (index + 1) * 2 ** height <= 260; index += 1) {
      const hash = told.get(`${height}/${index}`)
      deepEqual(hash, naiveRoot(leaves.slice(index * 2 ** height, (index + 1) * 2 ** height)))
    }
  equal(told.size, 260 + 130 + 65 + 32 + 16 + 8 + 4 + 2 + 1)
})

test('RFC6962_2.1.1: an inclusion proof is the one of the definition, and is accepted', () => {
  fc.assert(
    fc.property(sizeAndIndex, ([n, index]) => {
      const proof = inclusionSpans(index, n).map(hashOf)
      deepEqual(proof, naiveInclusion(index, leaves.slice(0, n)))
      const leaf = leaves[index] ?? Buffer.alloc(0)
      ok(isIncluded({ leaf, index, size: n, root: edgeOf(n).root(), proof }))
    }),
  )
})

test('RFC6962_2.1.2: a consistency proof is the one of the definition, and is accepted', () => {
  fc.assert(
    fc.property(twoSizes, ([older, newer]) => {
      const proof = consistencySpans(older, newer).map(hashOf)
      deepEqual(proof, naiveConsistency(older, leaves.slice(0, newer)))
      const of = (n: number) => ({ size: n, root: edgeOf(n).root() })
      ok(isGrowth({ older: of(older), newer: of(newer), proof }))
    }),
  )
})

const flipped = (bytes: Buffer, bit: number): Buffer => {
  const copy = Buffer.from(bytes)
  const at = Math.floor(bit / 8) % copy.length
  copy[at] = (copy[at] ?? 0) ^ (1 << (bit % 8))
  return copy
}

test('RFC9162_2.1.3.2: nothing but the proof itself is accepted: no bit, index, size, hash more or less', () => {
  fc.assert(
    fc.property(sizeAndIndex, fc.nat(), fc.nat(), ([n, index], which, bit) => {
      const proof = inclusionSpans(index, n).map(hashOf)
      const right = { leaf: hashOf({ from: index, to: index + 1 }), index, size: n }
      const root = edgeOf(n).root()
      const at = which % Math.max(1, proof.length)
      const altered = proof.map((hash, i) => (i === at ? flipped(hash, bit) : hash))
      if (proof.length > 0) ok(!isIncluded({ ...right, root, proof: altered }))
      ok(!isIncluded({ ...right, root: flipped(root, bit), proof }))
      ok(!isIncluded({ ...right, leaf: flipped(right.leaf, bit), root, proof }))
      ok(!isIncluded({ ...right, root, proof: [...proof, root] }))
      if (proof.length > 0) ok(!isIncluded({ ...right, root, proof: proof.slice(1) }))
      if (n > 1) ok(!isIncluded({ ...right, index: (index + 1) % n, root, proof }))
      ok(!isIncluded({ ...right, index: n, root, proof }))
      ok(!isIncluded({ ...right, index: -1, root, proof }))
    }),
  )
})

test('RFC9162_2.1.4.2: no altered proof of growth is accepted', () => {
  fc.assert(
    fc.property(twoSizes, fc.nat(), fc.nat(), ([m, n], which, bit) => {
      const of = (k: number) => ({ size: k, root: edgeOf(k).root() })
      const [older, newer] = [of(m), of(n)]
      const proof = consistencySpans(m, n).map(hashOf)
      const at = which % Math.max(1, proof.length)
      const altered = proof.map((hash, i) => (i === at ? flipped(hash, bit) : hash))
      if (proof.length > 0) ok(!isGrowth({ older, newer, proof: altered }))
      if (proof.length > 0) ok(!isGrowth({ older, newer, proof: proof.slice(0, -1) }))
      ok(!isGrowth({ older, newer, proof: [...proof, older.root] }))
      ok(!isGrowth({ older: { ...older, root: flipped(older.root, bit) }, newer, proof }))
      ok(!isGrowth({ older, newer: { ...newer, root: flipped(newer.root, bit) }, proof }))
      if (m < n) ok(!isGrowth({ older: newer, newer: older, proof }))
    }),
  )
})

test('an empty older tree proves nothing, and takes no proof', () => {
  const newer = { size: 3, root: edgeOf(3).root() }
  const older = { size: 0, root: new Edge().root() }
  ok(isGrowth({ older, newer, proof: [] }))
  ok(!isGrowth({ older, newer, proof: [newer.root] }))
})

test('heights are exact up to the largest size there is', () => {
  for (let k = 1; k <= 52; k += 1) {
    equal(heightOf(2 ** k), k)
    equal(heightOf(2 ** k - 1), k - 1)
    equal(heightOf(2 ** k + 1), k)
  }
  equal(inclusionSpans(0, 2 ** 53 - 1).length, 53)
})

test('a tile has one path, and a path one tile', () => {
  const tile = fc.record({
    level: fc.integer({ min: 0, max: 6 }),
    index: fc.oneof(fc.integer({ min: 0, max: 1_100 }), fc.maxSafeNat()),
    width: fc.integer({ min: 1, max: 256 }),
  })
  fc.assert(
    fc.property(tile, (of) => {
      deepEqual(tileAt(tilePath(of)), { ...of, ofEntries: false })
      deepEqual(tileAt(entriesPath(of)), { ...of, level: 0, ofEntries: true })
    }),
  )
  const piece = fc.constantFrom(
    'tile/',
    'entries',
    '0',
    '000',
    'x000',
    'x',
    '1',
    '7',
    '/',
    '.p/',
    '255',
    '256',
    '.',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const path = pieces.join('')
      const found = tileAt(path)
      if (found !== undefined) equal(found.ofEntries ? entriesPath(found) : tilePath(found), path)
    }),
  )
})

test('the entries of a bundle are those it was made of, and what is cut off is none', () => {
  const entries = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 })
  fc.assert(
    fc.property(entries, fc.nat(), (given, at) => {
      const whole = entryBundle(given.map((entry) => Buffer.from(entry)))
      const all = entriesIn(whole)
      deepEqual(
        [all.entries.map((entry) => [...entry]), all.read],
        [given.map((e) => [...e]), whole.length],
      )
      const cut = entriesIn(whole.subarray(0, whole.length === 0 ? 0 : at % whole.length))
      ok(whole.length === 0 || cut.entries.length < given.length)
      deepEqual(cut.entries, all.entries.slice(0, cut.entries.length))
    }),
  )
})
