/**
 * Request numbers of one run: from 1, without a gap. A number is used up only by a durable
 * RequestSent, so numbering and appending are one step, one at a time. The pace of a polite crawler
 * makes this no bottleneck: about a thousand a second can pass.
 */
export type Numbering = {
  /** `use` answers whether the number it was given is durable now. */
  readonly next: <A>(
    use: (n: number) => Promise<{ readonly used: boolean; readonly value: A }>,
  ) => Promise<A>
  readonly last: () => number
}

export const numbering = (): Numbering => {
  let last = 0
  let tail: Promise<unknown> = Promise.resolve()
  return {
    last: () => last,
    next: (use) => {
      const turn = tail.then(async () => {
        const { used, value } = await use(last + 1)
        if (used) last += 1
        return value
      })
      // A failed turn is its caller's to report; the queue goes on for the others.
      tail = turn.catch(() => undefined)
      return turn
    },
  }
}
