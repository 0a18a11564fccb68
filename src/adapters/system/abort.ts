const watched = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls `act` when `signal` aborts; answers a function that takes it back. All who watch a signal
 * share one listener: taking back a listener costs the signal a search through all of them, which
 * thousands of sleepers under the signal of one run would feel.
 */
export const onAbort = (signal: AbortSignal | undefined, act: () => void): (() => void) => {
  if (signal === undefined) return () => {}
  const acts = watched.get(signal) ?? watch(signal)
  acts.add(act)
  return () => void acts.delete(act)
}

const watch = (signal: AbortSignal): Set<() => void> => {
  const acts = new Set<() => void>()
  watched.set(signal, acts)
  const actAll = (): void => acts.forEach((act) => act())
  signal.addEventListener('abort', actAll, { once: true })
  return acts
}
