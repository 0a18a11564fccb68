/** Has an authority stamp the newest head (RFC 3161), and records its reply. */
import { sha256, sha256Hex } from '../../kernel/digest.ts'
import { E, type TaskEither } from '../../kernel/fp.ts'
import type { HttpUrl } from '../../kernel/url.ts'
import type { EventOf } from '../../ledger/event.ts'
import type { Ledger, Unavailable } from '../../ledger/port.ts'
import { timestampStream } from '../../ledger/stream.ts'
import { headText } from '../../ledger/tlog/head.ts'
import type { CheckTimestamp, TimestampRefused } from '../../ledger/tlog/port.ts'
import { parseTimestamp, timestampQuery } from '../../publish/timestamp.ts'
import { wholeStream } from '../entries.ts'
import { Halt, orHalt } from '../halt.ts'
import { headIn } from './log-record.ts'
import type { Sealer } from './seal.ts'

export type TimestampPorts = {
  readonly ledger: Pick<Ledger, 'readStream' | 'append'>
  /** Sends a query to an authority and gives its reply, of at most REPLY_BYTES_MAX. */
  readonly ask: (authority: HttpUrl, query: Buffer) => TaskEither<Unavailable, Buffer>
  readonly check: CheckTimestamp
}

type Stamping = {
  readonly run: string
  readonly authority: HttpUrl
  /** 8 random bytes, the first from 1 to 127: a positive number in its shortest form. */
  readonly nonce: Buffer
}

/**
 * Seals, asks about that head, believes the reply only if the authority signed it in answer to this
 * very query, records it, and seals again. Whatever fails, nothing is recorded.
 */
export const timestampHead = async (
  { ledger, ask, check }: TimestampPorts,
  seal: Sealer,
  { run, authority, nonce }: Stamping,
): Promise<EventOf<'HeadTimestamped'>> => {
  const sealed = await seal()
  if (!('head' in sealed))
    throw new Halt({
      tag: 'WrongUse',
      because:
        'there is no head here to stamp: nothing was recorded yet, or it is signed elsewhere',
    })
  const head = headIn('the newest head', sealed.head.note)
  const text = headText(head)
  const reply = await orHalt(ask(authority, timestampQuery({ text, nonce })))
  const stamp = parseTimestamp(`the reply of ${authority}`, reply)
  if (E.isLeft(stamp)) throw new Halt(stamp.left)
  const { time, digest } = stamp.right
  const isAnswer = digest.equals(sha256(Buffer.from(text))) && stamp.right.nonce?.equals(nonce)
  if (isAnswer !== true) throw new Halt(NO_ANSWER)
  await orHalt(check({ text, reply, time }))
  const event: EventOf<'HeadTimestamped'> = {
    type: 'HeadTimestamped',
    v: 1,
    size: head.size,
    digest: sha256Hex(text),
    authority,
    time,
    reply: reply.toString('base64'),
  }
  const earlier = await wholeStream(ledger, timestampStream)
  const append = {
    stream: timestampStream,
    expectedVersion: earlier.length,
    events: [event],
  } as const
  await orHalt(ledger.append(run, append))
  await seal()
  return event
}

const NO_ANSWER: TimestampRefused = {
  tag: 'TimestampRefused',
  because: 'it is the answer to another query',
}
