/**
 * The worked vectors that stand beside a checkout (`../shared`): keys, notes, heads, proofs, tiles,
 * proof files and the ones that must be refused, byte for byte. A checkout alone skips them.
 */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createPrivateKey, sign } from 'node:crypto'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { commitTo } from '../../src/capture/commitment.ts'
import { parse, t } from '../../src/kernel/codec.ts'
import { sha256Hex } from '../../src/kernel/digest.ts'
import { E } from '../../src/kernel/fp.ts'
import { leafHash } from '../../src/ledger/entry.ts'
import { cosignatureOf, cosignedNote, isCosignatureOf } from '../../src/ledger/tlog/cosignature.ts'
import { headText, parseHead, signersOf } from '../../src/ledger/tlog/head.ts'
import { parseVerifierKey, verifierKey } from '../../src/ledger/tlog/key.ts'
import { formatNote, parseNote } from '../../src/ledger/tlog/note.ts'
import {
  consistencySpans,
  inclusionSpans,
  isGrowth,
  isIncluded,
} from '../../src/ledger/tlog/proof.ts'
import { entriesPath, entryBundle, newTiles, tilePath } from '../../src/ledger/tlog/tile.ts'
import { Edge, EMPTY_ROOT } from '../../src/ledger/tlog/tree.ts'
import { isQuorum, keysOf, parsePolicy } from '../../src/publish/policy.ts'
import {
  formatEntryProof,
  formatGrowthProof,
  parseEntryProof,
  parseGrowthProof,
} from '../../src/publish/proof-file.ts'
import { right } from '../support/either.ts'
import { naiveRoot } from '../support/naive-tree.ts'

const FILE = join(import.meta.dirname, '../../../shared/cases/tlog_vectors.json')
const here = existsSync(FILE)

const Key = t.type({
  name: t.string,
  alg: t.number,
  seed_hex: t.string,
  pub_hex: t.string,
  key_id_hex: t.string,
  vkey: t.string,
})
const Hashes = t.array(t.string)
const Place = t.type({ path: t.string, bytes: t.number, sha256: t.string })
const Negative = t.intersection([
  t.type({ name: t.string, kind: t.string, proof: Hashes }),
  t.partial({
    index: t.number,
    size: t.number,
    entry_utf8: t.string,
    entry_b64: t.string,
    root: t.string,
    size1: t.number,
    size2: t.number,
    root1: t.string,
    root2: t.string,
  }),
])
const Vectors = t.type({
  origin: t.string,
  keys: t.type({ log: Key, witness1: Key, witness2: Key }),
  hashing: t.type({
    empty_root_hex: t.string,
    rfc6962_community_leaves_hex: Hashes,
    rfc6962_community_roots_hex: Hashes,
  }),
  entries: t.array(t.type({ utf8: t.string, b64: t.string, leaf_hash_hex: t.string })),
  roots: t.array(t.type({ size: t.number, root_hex: t.string })),
  inclusion: t.array(t.type({ index: t.number, size: t.number, proof: Hashes })),
  consistency: t.array(t.type({ size1: t.number, size2: t.number, proof: Hashes })),
  checkpoints: t.record(
    t.string,
    t.type({ body: t.string, note: t.string, witness_times: t.array(t.number) }),
  ),
  notes: t.array(t.type({ name: t.string, note: t.string, want: t.string })),
  negatives: t.array(Negative),
  tlog_proof: t.type({ entry_index: t.number, size: t.number, file: t.string }),
  witness_add_checkpoint_request: t.string,
  tlog_policy: t.string,
  bundle_example: t.type({ path: t.string, hex: t.string }),
  tile_example: t.type({ path: t.string, hex: t.string }),
  big_tree: t.type({
    size: t.number,
    root_hex: t.string,
    tiles: t.array(Place),
    entry_bundles: t.array(Place),
    inclusion_65535: Hashes,
    consistency_256_70000: Hashes,
    root_256_hex: t.string,
    index_path_1234067: t.string,
  }),
  commitments: t.type({
    items: t.array(t.type({ salt_hex: t.string, body_b64: t.string, commit_hex: t.string })),
  }),
})

const bytes = (base64: string): Buffer => Buffer.from(base64, 'base64')
const hex = (digits: string): Buffer => Buffer.from(digits, 'hex')

if (!here) test('the shared vectors', { skip: 'no shared cases beside this checkout' }, () => {})
else
  describe('the shared vectors', () => {
    const v = right(parse('vectors', Vectors, JSON.parse(readFileSync(FILE, 'utf8'))))
    const entries = v.entries.map(({ b64 }) => bytes(b64))
    const leaves = entries.map(leafHash)
    const rootOf = (size: number): Buffer => {
      const edge = new Edge()
      for (const leaf of leaves.slice(0, size)) edge.append(leaf)
      return edge.root()
    }
    const spanHash = (all: readonly Buffer[]) => (span: { from: number; to: number }) =>
      naiveRoot(all.slice(span.from, span.to))
    const policy = right(parsePolicy('policy', v.tlog_policy))

    test('roots and leaves', () => {
      equal(EMPTY_ROOT.toString('hex'), v.hashing.empty_root_hex)
      const community = new Edge()
      v.hashing.rfc6962_community_leaves_hex.forEach((leaf, i) => {
        equal(community.root().toString('hex'), v.hashing.rfc6962_community_roots_hex[i])
        community.append(leafHash(hex(leaf)))
      })
      equal(community.root().toString('hex'), v.hashing.rfc6962_community_roots_hex.at(-1))
      v.entries.forEach(({ leaf_hash_hex, utf8 }, i) => {
        equal(leaves[i]?.toString('hex'), leaf_hash_hex)
        equal(entries[i]?.toString(), utf8)
      })
      for (const { size, root_hex } of v.roots) equal(rootOf(size).toString('hex'), root_hex)
    })

    test('inclusion and consistency proofs', () => {
      ok(v.inclusion.length > 60 && v.consistency.length > 60)
      for (const { index, size, proof } of v.inclusion) {
        deepEqual(inclusionSpans(index, size).map(spanHash(leaves)), proof.map(bytes))
        const leaf = leaves[index] ?? Buffer.alloc(0)
        ok(isIncluded({ leaf, index, size, root: rootOf(size), proof: proof.map(bytes) }))
      }
      for (const { size1, size2, proof } of v.consistency) {
        deepEqual(consistencySpans(size1, size2).map(spanHash(leaves)), proof.map(bytes))
        const of = (size: number) => ({ size, root: rootOf(size) })
        ok(isGrowth({ older: of(size1), newer: of(size2), proof: proof.map(bytes) }))
      }
    })

    test('keys and their words', () => {
      for (const key of Object.values(v.keys)) {
        const use = key.alg === 1 ? 'log' : 'witness'
        const made = verifierKey(key.name, use, hex(key.pub_hex))
        equal(made.vkey, key.vkey)
        equal(made.id, key.key_id_hex)
        deepEqual(right(parseVerifierKey(key.vkey)), made)
      }
    })

    test('checkpoints are signed to the same bytes, and their cosignatures say when', () => {
      const pkcs8 = Buffer.concat([
        hex('302e020100300506032b657004220420'),
        hex(v.keys.log.seed_hex),
      ])
      const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
      for (const { body, note, witness_times } of Object.values(v.checkpoints)) {
        const head = right(parseHead(note))
        equal(headText(head), body)
        deepEqual(head.root, rootOf(head.size))
        equal(formatNote(head.note), note)
        const signed = right(signersOf(head.note, keysOf(policy)))
        deepEqual(
          signed.map(({ time }) => time),
          [null, ...witness_times],
        )
        ok(
          isQuorum(
            policy,
            signed.map(({ key }) => key),
          ),
        )
        ok(
          !isQuorum(
            policy,
            signed.slice(0, 2).map(({ key }) => key),
          ),
        )
        deepEqual(head.note.signatures[0]?.signature, sign(null, Buffer.from(body), privateKey))
        const [own, ...lines] = head.note.signatures
        const kept = lines.map((line, i) => {
          const [key, time] = [signed[i + 1]?.key, witness_times[i]]
          ok(own !== undefined && key !== undefined && time !== undefined)
          return cosignatureOf(key, { size: head.size, time, ...line })
        })
        const alone = formatNote({ text: body, signatures: head.note.signatures.slice(0, 1) })
        equal(cosignedNote(alone, kept.toReversed()), note)
        ok(kept.every((cosignature) => isCosignatureOf(alone, cosignature)))
      }
    })

    const logKey = policy.logs
    for (const { name, note, want } of v.notes)
      test(`note: ${name}: ${want}`, () => {
        const parsed = parseNote(note)
        const signed = E.isLeft(parsed) ? parsed : signersOf(parsed.right, logKey)
        equal(E.isRight(signed) && signed.right.length > 0, want === 'ok')
      })

    for (const negative of v.negatives)
      test(`refused: ${negative.name}`, () => {
        const { kind, index = 0, size = 0, entry_utf8, entry_b64, size1 = 0, size2 = 0 } = negative
        const proof = negative.proof.map(bytes)
        const entry = entry_utf8 === undefined ? bytes(entry_b64 ?? '') : Buffer.from(entry_utf8)
        const root = negative.root === undefined ? rootOf(size) : bytes(negative.root)
        const older = { size: size1, root: bytes(negative.root1 ?? '') }
        const newer = { size: size2, root: bytes(negative.root2 ?? '') }
        const accepted =
          kind === 'inclusion'
            ? isIncluded({ leaf: leafHash(entry), index, size, root, proof })
            : isGrowth({ older, newer, proof })
        equal(accepted, false)
      })

    test('the proof file, the body for a witness, the policy', () => {
      const proof = right(parseEntryProof(v.tlog_proof.file))
      equal(proof.index, v.tlog_proof.entry_index)
      equal(formatEntryProof(proof), v.tlog_proof.file)
      const head = right(parseHead(proof.checkpoint))
      const leaf = leaves[proof.index] ?? Buffer.alloc(0)
      ok(
        isIncluded({
          leaf,
          index: proof.index,
          size: head.size,
          root: head.root,
          proof: proof.proof,
        }),
      )
      const growth = right(parseGrowthProof(v.witness_add_checkpoint_request))
      equal(formatGrowthProof(growth), v.witness_add_checkpoint_request)
      equal(growth.older, 5)
      equal(policy.rules.join('\n') + '\n', v.tlog_policy)
    })

    test('tiles and entry bundles', () => {
      equal(Buffer.concat(leaves.slice(0, 3)).toString('hex'), v.tile_example.hex)
      equal(tilePath({ level: 0, index: 0, width: 3 }), v.tile_example.path)
      equal(entryBundle(entries.slice(0, 3)).toString('hex'), v.bundle_example.hex)
      equal(entriesPath({ index: 0, width: 3 }), v.bundle_example.path)
      const far = tilePath({ level: 0, index: 1_234_067, width: 256 })
      equal(far, `tile/0/${v.big_tree.index_path_1234067}`)
    })

    test('the tree of 70,000 entries: root, proofs, every tile by its path', () => {
      const big = Array.from({ length: v.big_tree.size }, (_, i) => Buffer.from(`entry-${i}`))
      const edge = new Edge()
      const levels: Buffer[][] = [[], [], []]
      for (const entry of big)
        edge.append(leafHash(entry), ({ height }, hash) => levels[height / 8]?.push(hash))
      equal(edge.root().toString('hex'), v.big_tree.root_hex)
      const all = levels[0] ?? []
      deepEqual(
        inclusionSpans(65_535, v.big_tree.size).map(spanHash(all)),
        v.big_tree.inclusion_65535.map(bytes),
      )
      deepEqual(
        consistencySpans(256, v.big_tree.size).map(spanHash(all)),
        v.big_tree.consistency_256_70000.map(bytes),
      )
      equal(naiveRoot(all.slice(0, 256)).toString('hex'), v.big_tree.root_256_hex)
      const files = new Map<string, Buffer>()
      for (const [level, hashes] of levels.entries())
        for (const tile of newTiles(level, 0, v.big_tree.size)) {
          const from = tile.index * 256
          files.set(tilePath(tile), Buffer.concat(hashes.slice(from, from + tile.width)))
          if (level === 0)
            files.set(entriesPath(tile), entryBundle(big.slice(from, from + tile.width)))
        }
      for (const { path, bytes, sha256 } of [...v.big_tree.tiles, ...v.big_tree.entry_bundles]) {
        equal(files.get(path)?.length, bytes, path)
        equal(sha256Hex(files.get(path) ?? ''), sha256, path)
      }
    })

    test('commitments', () => {
      for (const { salt_hex, body_b64, commit_hex } of v.commitments.items)
        equal(commitTo(bytes(body_b64), hex(salt_hex)), commit_hex)
    })
  })
