import { isCosignatureOf } from '../../ledger/tlog/cosignature.ts'
import type { CosignatureStore, StoredCosignature } from '../../ledger/tlog/port.ts'
import type { LogRecord } from '../../ledger/tlog/rotation.ts'
import { orHalt } from '../halt.ts'
import { Breach } from './breach.ts'
import type { Tally } from './verify-report.ts'

const PAGE = 256

/**
 * Every cosignature of heads of at least `from` entries: that head is there, and was signed by a
 * witness that the log has named. To be called when the heads themselves were found good.
 */
export const checkCosignatures = async (
  store: CosignatureStore,
  log: LogRecord | undefined,
  from: number,
  tally: Tally,
): Promise<void> => {
  const known = new Map(log?.witnesses.ever.map(({ vkey, name }) => [vkey, name]))
  let last = { size: from, key: '', time: 0 }
  for (;;) {
    const page = await orHalt(store.page(last, PAGE))
    for (const cosignature of page) {
      const wrong = faultOf(cosignature, known)
      if (wrong !== undefined) throw new Breach(cosignature.size, cosignature.size, wrong)
      tally.cosignatures += 1
      last = cosignature
    }
    if (page.length < PAGE) return
  }
}

const faultOf = (
  cosignature: StoredCosignature,
  known: ReadonlyMap<string, string>,
): string | undefined => {
  const { size, key, note } = cosignature
  const name = known.get(key)
  if (name === undefined)
    return `the head of size ${size} has a cosignature by a key that the log has never named`
  if (note === undefined) return `${name} cosigned a head of ${size} entries, and it is missing`
  return isCosignatureOf(note, cosignature)
    ? undefined
    : `the cosignature of ${name} is not one of the head of size ${size}`
}
