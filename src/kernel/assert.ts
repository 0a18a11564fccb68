/** A broken assumption is a bug: it throws, the process ends, and nothing more is written. */
export class Defect extends Error {
  override readonly name = 'Defect'
}

export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Defect(message)
}

/** Narrows away `undefined` where the code itself guarantees a value. */
export const present = <A>(value: A | undefined | null, message: string): A => {
  if (value === undefined || value === null) throw new Defect(message)
  return value
}

export const unreachable = (value: never): never => {
  throw new Defect(`unreachable case: ${JSON.stringify(value)}`)
}
