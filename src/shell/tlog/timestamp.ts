/** Has an authority stamp the newest head (RFC 3161), and records its reply. */
import { describeParseFailure } from '../../kernel/codec.ts'
import { sha256, sha256Hex } from '../../kernel/digest.ts'
import { E } from '../../kernel/fp.ts'
import type { HttpUrl } from '../../kernel/url.ts'
import type { EventOf } from '../../ledger/event.ts'
import { REPLY_BYTES_MAX } from '../../ledger/events/log/head-timestamped.ts'
import type { Ledger } from '../../ledger/port.ts'
import { timestampStream } from '../../ledger/stream.ts'
import { headText } from '../../ledger/tlog/head.ts'
import type { CheckTimestamp, Post, StampedText, TimestampRefused } from '../../ledger/tlog/port.ts'
import { parseTimestamp, timestampQuery } from '../../publish/timestamp.ts'
import { wholeStream } from '../entries.ts'
import { Halt, orHalt } from '../halt.ts'
import { headIn } from './log-record.ts'
import type { Sealer } from './seal.ts'

export type TimestampPorts = {
  readonly ledger: Pick<Ledger, 'readStream' | 'append'>
  readonly post: Post
  readonly check: CheckTimestamp
}

type Stamping = {
  readonly run: string
  readonly authority: HttpUrl
  /** 8 random bytes, the first from 1 to 127: a positive number in its shortest form. */
  readonly nonce: Buffer
  readonly stop: AbortSignal
}

/**
 * Seals, asks about that head, believes the reply only if the authority signed it in answer to this
 * very query, records it, and seals again. Whatever fails, nothing is recorded.
 */
export const timestampHead = async (
  ports: TimestampPorts,
  seal: Sealer,
  stamping: Stamping,
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
  const { reply, time } = await stampOf(ports, text, stamping)
  const event: EventOf<'HeadTimestamped'> = {
    type: 'HeadTimestamped',
    v: 1,
    size: head.size,
    digest: sha256Hex(text),
    authority: stamping.authority,
    time,
    reply: reply.toString('base64'),
  }
  const earlier = await wholeStream(ports.ledger, timestampStream)
  const append = {
    stream: timestampStream,
    expectedVersion: earlier.length,
    events: [event],
  } as const
  await orHalt(ports.ledger.append(stamping.run, append))
  await seal()
  return event
}

const stampOf = async (
  { post, check }: TimestampPorts,
  text: string,
  { authority, nonce, stop }: Stamping,
): Promise<StampedText> => {
  const query = { type: 'application/timestamp-query', body: timestampQuery({ text, nonce }) }
  const reply = replyIn(authority, await post(authority, query, stop))
  const stamp = parseTimestamp('its reply', reply)
  if (E.isLeft(stamp)) throw noStamp(authority, describeParseFailure(stamp.left))
  const { time, digest } = stamp.right
  const isAnswer = digest.equals(sha256(Buffer.from(text))) && stamp.right.nonce?.equals(nonce)
  if (isAnswer !== true) throw new Halt(NO_ANSWER)
  await orHalt(check({ text, reply, time }))
  return { text, reply, time }
}

const NO_ANSWER: TimestampRefused = {
  tag: 'TimestampRefused',
  because: 'it is the answer to another query',
}

const noStamp = (authority: HttpUrl, because: string): Halt =>
  new Halt({ tag: 'Unavailable', because: `${authority} gave no time stamp: ${because}` })

const replyIn = (authority: HttpUrl, answer: Awaited<ReturnType<Post>>): Buffer => {
  if (answer.tag === 'Failure') throw noStamp(authority, answer.because)
  if (answer.status !== 200) throw noStamp(authority, `it answered with status ${answer.status}`)
  if (answer.truncated || answer.body.length > REPLY_BYTES_MAX)
    throw noStamp(authority, `its reply is longer than ${REPLY_BYTES_MAX} bytes`)
  return answer.body
}
