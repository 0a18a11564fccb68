/**
 * Watches the one order that no log can show afterwards (CL1): the append of RequestSent has
 * answered, which it does only when durable, before the fetcher is called.
 */
import type { Fetcher } from '../../src/capture/port.ts'
import { E } from '../../src/kernel/fp.ts'
import type { Ledger } from '../../src/ledger/port.ts'

export type Durability = {
  /** The ledger, watched. */
  readonly ledger: Ledger
  /** The fetcher, watched: puts into `unwritten` what is asked before it is durable. */
  readonly watch: (fetch: Fetcher, unwritten: string[]) => Fetcher
}

export const durability = (ledger: Ledger): Durability => {
  /** Addresses whose RequestSent is durable and whose closing event is not yet. */
  const open = new Set<string>()
  return {
    ledger: {
      ...ledger,
      append: (run, append, guard) => async () => {
        const appended = await ledger.append(run, append, guard)()
        if (E.isLeft(appended)) return appended
        for (const event of append.events) {
          if (event.type === 'RequestSent') open.add(event.url)
          if (event.type === 'ResponseReceived' || event.type === 'RequestFailed')
            open.delete(event.url)
        }
        return appended
      },
    },
    watch: (fetch, unwritten) => (request, signal) => {
      if (!open.has(request.url)) unwritten.push(request.url)
      return fetch(request, signal)
    },
  }
}
