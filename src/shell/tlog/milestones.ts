/** Where the tree that grows out of the entries is compared with what is kept of it. */
import { E } from '../../kernel/fp.ts'
import { parseHead, signersOf } from '../../ledger/tlog/head.ts'
import { parseVerifierKey, type VerifierKey } from '../../ledger/tlog/key.ts'
import type { SigningKeys, StoredHead, TreeStore } from '../../ledger/tlog/port.ts'
import { keysAt, type LogRecord } from '../../ledger/tlog/rotation.ts'
import { TILE_HEIGHT, TILE_WIDTH } from '../../ledger/tlog/tile.ts'
import type { Edge, Subtree } from '../../ledger/tlog/tree.ts'
import { Halt, orHalt } from '../halt.ts'
import { Breach } from './breach.ts'
import type { Tally } from './verify-report.ts'

/** The keys of the log, oldest first; none if this data directory has none and none was rotated. */
export type HeadKeys = { readonly keys: readonly VerifierKey[] }

export const headKeys = async (
  keys: SigningKeys,
  log: LogRecord | undefined,
): Promise<HeadKeys> => {
  if (log === undefined) return { keys: [] }
  const here = (await orHalt(keys.list(log.origin))).map(({ key }) => key.vkey)
  const first = log.rotations[0]?.oldKey ?? here[0]
  const all = first === undefined ? [] : [first, ...log.rotations.map(({ newKey }) => newKey)]
  return {
    keys: all.flatMap((vkey) => {
      const key = parseVerifierKey(vkey)
      return E.isRight(key) ? [key.right] : []
    }),
  }
}

/** What is remembered of a verified head. */
export type Reached = { readonly size: number; readonly root: string; readonly ts: number }

type Scene = {
  readonly log: LogRecord | undefined
  readonly known: HeadKeys
  /** The size that is taken for verified. */
  readonly from: number
  readonly tally: Tally
}

const HEADS_AT_ONCE = 1_000

/** Heads after `from`, smallest first, a page at a time. */
const headCursor = (tree: TreeStore, from: number) => {
  let page: StoredHead[] | undefined
  let last = from
  return async (): Promise<StoredHead | undefined> => {
    if (page === undefined || page.length === 0)
      page = [...(await orHalt(tree.after(last, HEADS_AT_ONCE)))]
    const head = page.shift()
    if (head !== undefined) last = head.size
    return head
  }
}

/** A stored hash that is not that of the entries: the next head says which of the two is wrong. */
type Suspect = { readonly position: number; readonly until: number; readonly what: string }

export class Milestones {
  readonly #tree: TreeStore
  readonly #scene: Scene
  readonly #nextHead: () => Promise<StoredHead | undefined>
  readonly #completed: { readonly subtree: Subtree; readonly hash: Buffer }[] = []
  #begun = false
  #due: StoredHead | undefined
  #sealedTo = 0
  /** Every position up to here is vouched for. */
  #good: number
  #suspect: Suspect | undefined
  #newest: Reached | undefined

  constructor(tree: TreeStore, scene: Scene) {
    this.#tree = tree
    this.#scene = scene
    this.#nextHead = headCursor(tree, scene.from)
    this.#good = scene.from
  }

  /** The newest head that was compared. */
  get newest(): Reached | undefined {
    return this.#newest
  }

  /** To be told of each subtree that an entry completes, before `reach`. */
  readonly completed = (subtree: Subtree, hash: Buffer): void => {
    const { height } = subtree
    if (height > 0 && height % TILE_HEIGHT === 0) this.#completed.push({ subtree, hash })
  }

  /** To be called after each entry, with its time; undefined: there was nothing to compare. */
  reach(edge: Edge, ts: number): Promise<void> | undefined {
    const nothing = this.#begun && this.#completed.length === 0 && this.#due?.size !== edge.size
    return nothing ? undefined : this.#compare(edge, ts)
  }

  /** To be called after the last entry. */
  end(): void {
    if (this.#suspect === undefined) return
    const { position, until, what } = this.#suspect
    throw new Breach(position, until, `${what} is not that of the entries`)
  }

  async #compare(edge: Edge, ts: number): Promise<void> {
    if (!this.#begun) {
      this.#begun = true
      this.#sealedTo = (await orHalt(this.#tree.newest()))?.size ?? 0
      this.#due = await this.#nextHead()
    }
    for (const { subtree, hash } of this.#completed.splice(0))
      await this.#compareHash(subtree, hash)
    if (this.#due === undefined || this.#due.size > edge.size) return
    this.#compareHead(edge, this.#due, ts)
    this.#due = await this.#nextHead()
  }

  async #compareHash({ height, index }: Subtree, hash: Buffer): Promise<void> {
    const level = height / TILE_HEIGHT
    const width = TILE_WIDTH ** level
    const until = (index + 1) * width
    if (until > this.#sealedTo || this.#suspect !== undefined) return
    const kept = await this.#tree.hashes(level, index, index + 1)()
    if (E.isLeft(kept) && kept.left.tag === 'Unavailable') throw new Halt(kept.left)
    if (E.isRight(kept) && kept.right.equals(hash)) this.#good = until
    else {
      const what = `hash ${index} of level ${level} of the stored tree`
      this.#suspect = { position: Math.max(this.#good, until - width) + 1, until, what }
    }
  }

  #compareHead(edge: Edge, head: StoredHead, ts: number): void {
    const { size } = head
    const wrong = headFault(this.#scene, head, edge)
    if (wrong === 'root') {
      const { position = this.#good + 1, until = size } = this.#suspect ?? {}
      throw new Breach(
        position,
        until,
        `the entries do not give the root of the head of size ${size}`,
      )
    }
    if (wrong !== undefined) throw new Breach(size, size, wrong)
    this.end()
    this.#good = size
    this.#scene.tally.heads += 1
    this.#newest = { size, root: edge.root().toString('hex'), ts }
  }
}

/** What is wrong with a head over this edge: `root`, or a sentence. */
const headFault = ({ log, known }: Scene, { size, note }: StoredHead, edge: Edge) => {
  const head = parseHead(note)
  if (E.isLeft(head)) return `the head of size ${size} is no signed note`
  const { origin, root } = head.right
  if (head.right.size !== size || origin !== log?.origin)
    return `the head of size ${size} is one of another log or size`
  const signers = signersOf(head.right.note, known.keys)
  if (E.isLeft(signers)) return `a signature of the head of size ${size} is false`
  const inForce = known.keys[keysAt(log, size) - 1]
  if (known.keys.length > 0 && !signers.right.some(({ key }) => key === inForce))
    return `the head of size ${size} is not signed by the key in force`
  return root.equals(edge.root()) ? undefined : 'root'
}
