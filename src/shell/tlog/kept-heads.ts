/** Heads that somebody kept from before: a log that did not grow out of each is another history. */
import { E } from '../../kernel/fp.ts'
import { Edge } from '../../ledger/tlog/tree.ts'
import type { TreeHead } from '../../ledger/tlog/head.ts'
import type { Policy } from '../../publish/policy.ts'
import { headIn } from '../../publish/proven.ts'
import { Halt } from '../halt.ts'
import { CHECKPOINT } from './export-names.ts'
import { exportFault } from './export-fault.ts'

/** A kept head: its note, and what the checker calls it. */
export type KeptHead = { readonly name: string; readonly note: string }

type Due = { readonly name: string; readonly head: TreeHead }

export class KeptHeads {
  readonly #edge = new Edge()
  /** Smallest first. */
  readonly #due: Due[]
  /** Every position up to here is that of a kept head. */
  #good = 0

  /** The heads must be of the log `origin` and signed as `policy` asks. */
  constructor(kept: readonly KeptHead[], policy: Policy, origin: string) {
    this.#due = kept
      .map(({ name, note }) => ({ name, head: acceptedIn(name, note, policy, origin) }))
      .toSorted((a, b) => a.head.size - b.head.size)
  }

  /** Takes the leaf of the next entry. */
  append(leaf: Buffer): void {
    if (this.#due.length === 0) return
    this.#edge.append(leaf)
    const { size } = this.#edge
    while (this.#due[0]?.head.size === size) this.#compare(this.#due.shift())
  }

  /** Nothing came behind the entry at position `size`. */
  end(size: number): void {
    const [due] = this.#due
    if (due === undefined) return
    throw exportFault(
      CHECKPOINT,
      { position: size + 1, until: due.head.size },
      `the head in ${due.name} is of ${due.head.size} entries: the end was cut off, or this export is older`,
    )
  }

  #compare(due: Due | undefined): void {
    if (due === undefined) return
    const { size, root } = due.head
    if (!this.#edge.root().equals(root))
      throw exportFault(
        CHECKPOINT,
        { position: this.#good + 1, until: size },
        `this log did not grow out of the head in ${due.name}: it is another history`,
      )
    this.#good = size
  }
}

const acceptedIn = (name: string, note: string, policy: Policy, origin: string): TreeHead => {
  const accepted = headIn(name, note, policy)
  const wrong = (because: string) => new Halt({ tag: 'WrongUse', because })
  if (E.isLeft(accepted)) throw wrong(`${name}: ${accepted.left.because}`)
  const { head } = accepted.right
  if (head.origin === origin) return head
  throw wrong(`${name} is a head of another log, ${head.origin}`)
}
