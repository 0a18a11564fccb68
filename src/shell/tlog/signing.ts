import type { SigningKey } from '../../ledger/tlog/port.ts'
import { keysAt, type LogRecord } from '../../ledger/tlog/rotation.ts'
import { Halt } from '../halt.ts'

type Able = SigningKey & { readonly sign: NonNullable<SigningKey['sign']> }

const isAble = (key: SigningKey): key is Able => key.sign !== undefined

/**
 * The keys that sign the head of `size`, the one after that of `before`: the key in force, and each
 * that it replaced in between, so that who trusts an old key is handed on to the new one.
 */
export const keysToSignWith = (
  log: LogRecord,
  keys: readonly SigningKey[],
  { before, size }: { readonly before: number; readonly size: number },
): readonly Able[] => {
  const count = keysAt(log, size)
  const inForce = keys[count - 1]
  const recorded = log.rotations[count - 2]?.newKey
  if (inForce === undefined || !isAble(inForce))
    throw new Halt({
      tag: 'Unavailable',
      because: `key ${count} of the log, which is in force, is missing from the data directory: restore signing/ from a backup`,
    })
  if (recorded !== undefined && inForce.key.vkey !== recorded)
    throw new Halt({
      tag: 'Unavailable',
      because: `key ${count} in the data directory is not the one that the log records: restore signing/ from a backup`,
    })
  return keys.slice(keysAt(log, before) - 1, count).filter(isAble)
}
