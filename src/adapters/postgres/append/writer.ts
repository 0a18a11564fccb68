/** Sends batches to the database, one at a time, and gives every caller its honest answer. */
import { assert } from '../../../kernel/assert.ts'
import { E, type Either } from '../../../kernel/fp.ts'
import { type Instant, instant, latest } from '../../../kernel/instant.ts'
import type { Appended, AppendFailure } from '../../../ledger/port.ts'
import type { StreamName } from '../../../ledger/stream.ts'
import type { Database } from '../database.ts'
import { unavailableBecause } from '../failure.ts'
import { atLaterTime, type Batch } from './batch.ts'
import { bet, flush, type Flushed, isSingle, type Stands, type Verdict } from './flush.ts'
import { answers, cut, openSession, type Session } from './session.ts'
import { type Means, type Patience, settle } from './settle.ts'

/** Gives every caller of a batch its answer. */
export type Tell = () => void

export type Writer = {
  /**
   * Writes a batch. What it gives answers the callers of the batch; so the next batch can be on its
   * way before they go on. One at a time. Never rejects.
   */
  readonly send: (batch: Batch) => Promise<Tell>
  /** The newest time in the ledger as far as this process knows: no batch may be earlier. */
  readonly notBefore: () => Instant
  readonly close: () => Promise<void>
}

/** The first is longer than the server waits before it cancels a statement. */
const PATIENCE: Patience = { answerMs: 40_000, settleMs: 20_000 }
/** So many flushes with nobody else writing, and the next single event is bet on. */
const CALM_FLUSHES = 8
const TRIES = 12
/** Streams to remember; with more the writer forgets them all and looks again. */
const VERSIONS_MAX = 20_000

/** A session, and what this process knows of the ledger as long as it is not lost. */
type Known = {
  readonly session: Session
  /** The newest position. */
  head: number | undefined
  /** Flushes since somebody else wrote. */
  calm: number
  /** For streams this process wrote to, a version that stands. */
  readonly versions: Map<StreamName, number>
}

const knownOf = (session: Session): Known => ({
  session,
  head: undefined,
  calm: 0,
  versions: new Map(),
})

export const openWriter = async (
  database: Database,
  patience: Patience = PATIENCE,
): Promise<Writer> => {
  const means: Means = { database, patience }
  let known: Known | undefined = knownOf(await openSession(database, patience.answerMs))
  let newest = instant(0)

  const reach = async (batch: Batch): Promise<Tell> => {
    try {
      // A session that was lost while nothing was under way leaves nothing to settle.
      if (known === undefined || known.session.isLost()) {
        known = undefined
        known = knownOf(await openSession(database, patience.answerMs))
      }
    } catch (error) {
      return tellAll(batch, () => E.left(unavailableBecause(database.place, error)))
    }
    const sending = { batch }
    try {
      const all = await write(known, sending)
      newest = latest(newest, sending.batch.ts)
      return tell(sending.batch, all)
    } catch (error) {
      const recovered = await recover(means, known.session, sending.batch, error)
      known = recovered.session === undefined ? undefined : knownOf(recovered.session)
      return recovered.tell
    }
  }

  return {
    send: async (batch) => {
      newest = latest(newest, batch.ts)
      return reach(batch)
    },
    notBefore: () => newest,
    close: async () => {
      await known?.session.client.end()
    },
  }
}

type Answer = Either<AppendFailure, Appended>

const tell = (batch: Batch, all: readonly Answer[]): Tell => {
  assert(all.length === batch.appends.length, 'one answer an append')
  return () => all.forEach((answer, i) => batch.appends[i]?.waiting.answer(answer))
}

/** One answer for all callers; if making it throws, all get the defect. */
const tellAll = (batch: Batch, answer: () => Answer): Tell => {
  try {
    const one = answer()
    return tell(
      batch,
      batch.appends.map(() => one),
    )
  } catch (defect) {
    return () => batch.appends.forEach(({ waiting }) => waiting.fail(defect))
  }
}

/** `sending.batch` is always the batch as it was sent last. */
const write = async (known: Known, sending: { batch: Batch }): Promise<readonly Answer[]> => {
  const appended = await betOn(known, sending.batch)
  if (appended !== undefined) return [E.right(appended)]
  let stands = trusting(known)
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { client, inTime } = known.session
    const flushed = await inTime(flush(client, sending.batch, stands))
    if (flushed?.tag === 'Judged') return judged(known, flushed, sending.batch)
    if (flushed === undefined) stands = () => false
    // The other clock goes on meanwhile: each try reaches a little further ahead of it.
    else sending.batch = atLaterTime(sending.batch, instant(flushed.newest + tries ** 2))
  }
  const because =
    'other writers keep giving the ledger later times; compare the clocks of the machines'
  return sending.batch.appends.map(() => E.left({ tag: 'Unavailable', because }))
}

/** While nobody else writes, what this process knows of a stream is how it is. */
const trusting = ({ calm, versions }: Known): Stands =>
  calm < CALM_FLUSHES
    ? () => false
    : ({ stream, expectedVersion }) => expectedVersion <= (versions.get(stream) ?? 0)

/** Bets, if there is something to bet on and nobody else wrote for a while. */
const betOn = async (known: Known, batch: Batch): Promise<Appended | undefined> => {
  const { head, calm } = known
  const { client, inTime } = known.session
  if (head === undefined || calm < CALM_FLUSHES || !isSingle(batch)) return undefined
  const appended = await inTime(bet(client, batch, { head, stands: trusting(known) }))
  if (appended === undefined) return undefined
  known.head = head + 1
  remember(known, batch.appends, [E.right(appended)])
  return appended
}

const judged = (
  known: Known,
  flushed: Extract<Flushed, { tag: 'Judged' }>,
  { appends }: Batch,
): readonly Verdict[] => {
  known.calm = known.head === flushed.before ? known.calm + 1 : 0
  known.head = flushed.after
  remember(known, appends, flushed.verdicts)
  return flushed.verdicts
}

const remember = (
  { versions }: Known,
  appends: Batch['appends'],
  verdicts: readonly Verdict[],
): void => {
  if (versions.size >= VERSIONS_MAX) versions.clear()
  verdicts.forEach((verdict, i) => {
    const stream = appends[i]?.waiting.append.stream
    if (stream !== undefined && E.isRight(verdict)) versions.set(stream, verdict.right.version)
  })
}

type Recovered = { readonly tell: Tell; readonly session: Session | undefined }

/** After a failure: what to tell the callers, and the session to go on with, if there is one. */
const recover = async (
  { database, patience }: Means,
  session: Session,
  batch: Batch,
  error: unknown,
): Promise<Recovered> => {
  if (await session.inTime(answers(session.client))) {
    const because = (): Answer => E.left(unavailableBecause(database.place, error))
    return { tell: tellAll(batch, because), session }
  }
  cut(session.client)
  const settled = await settle({ database, patience }, session, batch)
  return { tell: tell(batch, settled.answers), session: settled.session }
}
