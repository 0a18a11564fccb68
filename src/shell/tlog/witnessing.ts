/**
 * Witnesses beside a run: every newest head goes to each of them. Neither the crawl nor a sealing
 * waits for that; only the end does, for a while.
 */
import type { StoredHead } from '../../ledger/tlog/port.ts'
import type { Witness } from '../../ledger/tlog/witness.ts'
import type { AskPorts } from './ask-witness.ts'
import type { Sealed } from './seal.ts'
import { WitnessTurn } from './witness-turn.ts'

export type Witnessing = {
  /** To be told of every sealing; answers at once. */
  readonly sealed: (sealed: Sealed) => void
  /** Gives each witness a last chance for the newest head, and ends whatever is still under way. */
  readonly end: () => Promise<void>
}

/** So long at most the end waits for its witnesses. */
const END_MS = 5_000

/** `say` tells a person, a line each time something changes with a witness. */
export const witnessing = (
  ports: AskPorts,
  named: readonly Witness[],
  say: (text: string) => void,
  endMs = END_MS,
): Witnessing => {
  const turns = named.map((witness) => new WitnessTurn(ports, witness, say))
  const ending = new AbortController()
  let newest: StoredHead | undefined
  return {
    sealed: (sealed) => {
      if (!('head' in sealed)) return
      newest = sealed.head
      for (const turn of turns) turn.begin(sealed.head, ending.signal)
    },
    end: async () => {
      ports.within(endMs).addEventListener('abort', () => ending.abort(), { once: true })
      await Promise.all(turns.map((turn) => turn.finish(newest, ending.signal)))
    },
  }
}
