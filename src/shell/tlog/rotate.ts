import { present } from '../../kernel/assert.ts'
import { clip } from '../../kernel/text.ts'
import type { EventOf } from '../../ledger/event.ts'
import type { Ledger } from '../../ledger/port.ts'
import { logStream } from '../../ledger/stream.ts'
import { Halt, orHalt } from '../halt.ts'
import { readLogRecord } from './log-record.ts'
import type { Sealer, SealPorts } from './seal.ts'

type RotatePorts = Omit<SealPorts, 'ledger'> & { readonly ledger: Ledger }
type Act = { readonly run: string; readonly by: string; readonly note: string | null }

/**
 * A new key: made, then recorded, then both keys sign the head that covers the record, then the old
 * private key is destroyed (that is sealing's part). Cut short anywhere, the next call or the next
 * sealing goes on: a key that was made and not recorded is the next one to be recorded.
 */
export const rotateKey = async (
  { ledger, keys }: RotatePorts,
  seal: Sealer,
  { run, by, note }: Act,
): Promise<void> => {
  const sealed = await seal()
  const log = await readLogRecord(ledger)
  if (log === undefined || !('head' in sealed))
    throw new Halt({
      tag: 'WrongUse',
      because:
        'there is no key here to rotate: the log was not opened yet, or its key is elsewhere',
    })
  const all = await orHalt(keys.list(log.origin))
  const inForce = log.rotations.length
  const next = all[inForce + 1] ?? (await orHalt(keys.create(log.origin)))
  const event: EventOf<'KeyRotated'> = {
    type: 'KeyRotated',
    v: 1,
    oldKey: present(all[inForce], 'the key in force').key.vkey,
    newKey: next.key.vkey,
    by: clip(by, 200),
    note: note === null ? null : clip(note, 1_000),
  }
  const stream = await orHalt(ledger.readStream(logStream, 0))
  await orHalt(
    ledger.append(run, { stream: logStream, expectedVersion: stream.length, events: [event] }),
  )
  await seal()
}
