/** Witnesses: who cosigns the heads of this log, as its stream says. */
import { E } from '../../kernel/fp.ts'
import type { HttpUrl } from '../../kernel/url.ts'
import type { Recorded } from '../entry.ts'
import { parseVerifierKey, type VerifierKey } from './key.ts'

/** `url` is the prefix under which it takes heads (C2SP tlog-witness). */
export type Witness = { readonly key: VerifierKey; readonly url: HttpUrl }

export type Witnesses = {
  /** Those that are asked now, in the order in which they were added. */
  readonly named: readonly Witness[]
  /** How many of them must have cosigned a head, as a person said it; null: more than half. */
  readonly quorum: number | null
  /** Every key that was ever named: what it cosigned then stays checkable. */
  readonly ever: readonly VerifierKey[]
}

export const NO_WITNESSES: Witnesses = { named: [], quorum: null, ever: [] }

/**
 * How many cosignatures a head needs. More than half, unless a person said otherwise: any two such
 * quorums have a witness in common, so two histories cannot both have one unless that witness lies.
 */
export const quorumOf = ({ named, quorum }: Pick<Witnesses, 'named' | 'quorum'>): number =>
  quorum ?? (named.length === 0 ? 0 : Math.floor(named.length / 2) + 1)

/** Who the stream `log` names. A key that does not parse was refused before it was recorded. */
export const witnessesOf = (stream: readonly Recorded[]): Witnesses => {
  let newest = NO_WITNESSES
  for (const { event } of stream) {
    if (event.type !== 'WitnessesNamed') continue
    const named = event.witnesses.flatMap(({ url, vkey }): readonly Witness[] => {
      const key = parseVerifierKey(vkey)
      return E.isRight(key) && key.right.use === 'witness' ? [{ key: key.right, url }] : []
    })
    const known = new Set(newest.ever.map(({ vkey }) => vkey))
    const fresh = named.map(({ key }) => key).filter(({ vkey }) => !known.has(vkey))
    newest = { named, quorum: event.quorum, ever: [...newest.ever, ...fresh] }
  }
  return newest
}
