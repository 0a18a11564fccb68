import type { Clock } from '../kernel/clock.ts'

/**
 * Runs `task` for every item, at most `limit` at once, in the order given. The first failure stops
 * the rest from starting; what is under way ends first, then the failure is thrown.
 */
export const forEachAtOnce = async <A>(
  items: Iterable<A>,
  limit: number,
  clock: Clock,
  task: (item: A) => Promise<void>,
): Promise<void> => {
  const waiting = items[Symbol.iterator]()
  let failure: { readonly reason: unknown } | undefined
  const worker = (): Promise<void> =>
    clock.track(async () => {
      for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
        if (failure !== undefined) return
        try {
          await task(next.value)
        } catch (reason) {
          failure ??= { reason }
        }
      }
    })
  await Promise.all(Array.from({ length: limit }, worker))
  if (failure !== undefined) throw failure.reason
}
