import { describeParseFailure } from '../../kernel/codec.ts'
import { E } from '../../kernel/fp.ts'
import type { Ledger } from '../../ledger/port.ts'
import { logStream } from '../../ledger/stream.ts'
import { type Head, parseHead } from '../../ledger/tlog/head.ts'
import { type LogRecord, logRecordOf } from '../../ledger/tlog/rotation.ts'
import { Halt, orHalt } from '../halt.ts'

/** What the log says of itself; undefined if it was never opened. */
export const readLogRecord = async (
  ledger: Pick<Ledger, 'readStream'>,
): Promise<LogRecord | undefined> => logRecordOf(await orHalt(ledger.readStream(logStream, 0)))

/** A head that we keep ourselves: one that does not parse was damaged. */
export const headIn = (where: string, note: string): Head => {
  const head = parseHead(note)
  if (E.isRight(head)) return head.right
  throw new Halt({
    tag: 'IntegrityBreach',
    position: 1,
    because: `${where} holds no signed head (${describeParseFailure(head.left)})`,
  })
}
