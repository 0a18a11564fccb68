const SMALLEST_BLOCK = 8_192

/**
 * Collects a body up to a cap. Bytes are copied into blocks of its own: a chunk handed over by the
 * parser is a view on a whole socket read, and a server that sends one byte a chunk would otherwise
 * make us keep a hundred times what the cap allows.
 */
export class BodyCollector {
  readonly #cap: number
  readonly #blocks: Buffer[] = []
  #used = 0
  #bytes = 0

  constructor(cap: number) {
    this.#cap = cap
  }

  /** Takes what fits below the cap; false if anything had to be left out. */
  take(chunk: Buffer): boolean {
    const fitting = chunk.subarray(0, this.#cap - this.#bytes)
    let from = 0
    while (from < fitting.length) from += this.#fill(fitting, from)
    this.#bytes += fitting.length
    return fitting.length === chunk.length
  }

  #fill(chunk: Buffer, from: number): number {
    const last = this.#blocks.at(-1)
    const block = last === undefined || this.#used === last.length ? this.#grow() : last
    const copied = chunk.copy(block, this.#used, from)
    this.#used += copied
    return copied
  }

  /** Blocks double up to a megabyte: a small body stays small, a large one is in few pieces. */
  #grow(): Buffer {
    const block = Buffer.allocUnsafeSlow(SMALLEST_BLOCK * 2 ** Math.min(7, this.#blocks.length))
    this.#blocks.push(block)
    this.#used = 0
    return block
  }

  /** The body so far, in one piece. */
  whole(): Buffer {
    return Buffer.concat(this.#blocks, this.#bytes)
  }
}
