/** Which bodies were erased, by the events that say so, and a body store that knows it. */
import type { BodyEraser, BodyFailure, BodyStore, SaltedBodies } from '../../capture/port.ts'
import type { Digest } from '../../kernel/digest.ts'
import { E, type TaskEither } from '../../kernel/fp.ts'
import type { Recorded } from '../../ledger/entry.ts'
import type { Ledger } from '../../ledger/port.ts'
import { Halt, orHalt } from '../halt.ts'

const PAGE = 1_000

/** Every erasure after a position, in order. */
export async function* erasuresAfter(
  ledger: Pick<Ledger, 'readAll'>,
  after: number,
): AsyncGenerator<Recorded<'BodyErased'>> {
  for (let last = after; ;) {
    const page = await orHalt(ledger.readAll({ after: last, limit: PAGE, types: ['BodyErased'] }))
    for (const { event, ...envelope } of page)
      if (event.type === 'BodyErased') yield { ...envelope, event }
    last = page.at(-1)?.position ?? last
    if (page.length < PAGE) return
  }
}

/** The event by which a body was erased; undefined if none was. */
export type ErasedBodies = (commit: Digest) => Promise<number | undefined>

/** Reads on only for a commitment it does not know: an erasure is never taken back. */
export const erasedBodies = (ledger: Pick<Ledger, 'readAll' | 'head'>): ErasedBodies => {
  const known = new Map<Digest, number>()
  let through = 0
  return async (commit) => {
    const found = known.get(commit)
    if (found !== undefined) return found
    const head = await orHalt(ledger.head())
    if (head.position <= through) return undefined
    for await (const { event, position } of erasuresAfter(ledger, through)) {
      // The first one counts: a second erases nothing.
      if (!known.has(event.commit)) known.set(event.commit, position)
      through = position
    }
    // Where many bodies are missing, none is looked for in the whole ledger again.
    through = Math.max(through, head.position)
    return known.get(commit)
  }
}

export type Bodies = BodyStore & SaltedBodies & BodyEraser

/** The store as everybody reads it: of a body that is not there, it says whether it was erased. */
export const tellingErased = (store: Bodies, ledger: Pick<Ledger, 'readAll' | 'head'>): Bodies => {
  const erased = erasedBodies(ledger)
  const told =
    <A>(read: TaskEither<BodyFailure, A>): TaskEither<BodyFailure, A> =>
    async () => {
      const found = await read()
      if (E.isRight(found) || found.left.tag !== 'BodyMissing') return found
      const { commit } = found.left
      const event = await erased(commit)
      return event === undefined ? found : E.left({ tag: 'BodyErased', commit, event })
    }
  return {
    ...store,
    get: (commit) => told(store.get(commit)),
    getSalted: (commit) => told(store.getSalted(commit)),
  }
}

/** The body; undefined if it was erased. Anything else that is wrong with it ends the command. */
export const bodyUnlessErased = async (
  bodies: Pick<BodyStore, 'get'>,
  commit: Digest,
): Promise<Buffer | undefined> => {
  const body = await bodies.get(commit)()
  if (E.isRight(body)) return body.right
  if (body.left.tag === 'BodyErased') return undefined
  throw new Halt(body.left)
}
