/** The books of every run: what it did by its events, against what it says of itself. */
import type { Recorded } from '../ledger/entry.ts'
import type { EventOf, EventType } from '../ledger/event.ts'
import type { Instant } from '../kernel/instant.ts'
import { isOf } from './exchange.ts'

const COUNTED = ['requests', 'responses', 'failures', 'abandoned', 'withheld'] as const
type Counts = { [name in (typeof COUNTED)[number]]: number }

/**
 * A run without an ordinary end. `under-way`: it has none at all; it goes on, or its process died and
 * no later run on its machine has recovered it. `abandoned`: it died, and a later run closed it.
 */
export type RunState = {
  readonly run: string
  readonly programme: string
  readonly night: string
  readonly startedAt: Instant
  readonly state: 'under-way' | 'abandoned'
  readonly requests: number
  readonly open: number
}

type Book = Counts & {
  readonly started: { readonly at: Instant; readonly event: EventOf<'RunStarted'> } | null
  readonly ended: EventOf<'RunEnded'>['status'] | null
}

const emptyBook: Book = {
  requests: 0,
  responses: 0,
  failures: 0,
  abandoned: 0,
  withheld: 0,
  started: null,
  ended: null,
}

type Say = (rule: 'run' | 'request-number' | 'count', says: string) => void

export type RunBooks = {
  readonly take: (recorded: Recorded, say: Say) => void
  readonly unfinished: () => readonly RunState[]
}

export const runBooks = (): RunBooks => {
  const books = new Map<string, Book>()
  const change = (run: string, step: (book: Book) => Book): void => {
    books.set(run, step(books.get(run) ?? emptyBook))
  }
  return {
    take: (recorded, say) => {
      const { run, event } = recorded
      const book = books.get(run) ?? emptyBook
      if (event.type !== 'RunEnded' && book.ended !== null)
        say('run', `${event.type} of the run ${run} after its end`)
      if (event.type === 'RequestAbandoned') change(event.sentIn, (of) => plus(of, 'abandoned'))
      else if (isOf(recorded, 'RunStarted', 'RunEnded')) change(run, takeFrame(book, recorded, say))
      else {
        const name = COUNTED_AS.get(event.type)
        if (isOf(recorded, 'RequestSent')) judgeSent(book, recorded, say)
        if (name !== undefined) change(run, (of) => plus(of, name))
      }
    },
    unfinished: () => [...books].flatMap(([run, book]) => stateOf(run, book)),
  }
}

const plus = (book: Book, name: (typeof COUNTED)[number]): Book => ({
  ...book,
  [name]: book[name] + 1,
})

const COUNTED_AS: ReadonlyMap<EventType, (typeof COUNTED)[number]> = new Map([
  ['RequestSent', 'requests'],
  ['ResponseReceived', 'responses'],
  ['RequestFailed', 'failures'],
  ['RequestWithheld', 'withheld'],
])

const judgeSent = (book: Book, { event, run }: Recorded<'RequestSent'>, say: Say): void => {
  const next = book.requests + 1
  if (book.started === null) say('run', `a request of the run ${run} before its start`)
  if (event.n !== next)
    say(
      'request-number',
      `request no. ${event.n} of the run ${run} stands where no. ${next} belongs`,
    )
}

const takeFrame =
  (book: Book, { event, run, ts }: Recorded<'RunStarted' | 'RunEnded'>, say: Say) =>
  (): Book => {
    if (event.type === 'RunStarted') {
      if (book.started !== null) say('run', `the run ${run} starts a second time`)
      return { ...book, started: { at: ts, event } }
    }
    if (book.started === null) say('run', `the run ${run} ends without a start`)
    if (book.ended !== null) say('run', `the run ${run} ends a second time`)
    for (const name of COUNTED) {
      if (event[name] !== book[name])
        say('count', `the run ${run} tells ${event[name]} ${name}, the ledger has ${book[name]}`)
    }
    const closed = book.responses + book.failures + book.abandoned
    if (book.requests !== closed)
      say('count', `the run ${run} ends with ${book.requests} requests and ${closed} ends of them`)
    return { ...book, ended: event.status }
  }

const stateOf = (run: string, { started, ended, ...book }: Book): readonly RunState[] => {
  if (started === null || ended === 'completed' || ended === 'interrupted') return []
  const { programme, night } = started.event
  const { requests, responses, failures, abandoned } = book
  const state = ended === null ? 'under-way' : 'abandoned'
  const open = requests - responses - failures - abandoned
  return [{ run, programme, night, startedAt: started.at, state, requests, open }]
}
