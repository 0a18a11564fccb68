/** A person names who cosigns the heads of this log: recorded, and in force from the next sealing on. */
import { describeParseFailure } from '../../kernel/codec.ts'
import { E } from '../../kernel/fp.ts'
import { clip } from '../../kernel/text.ts'
import { type HttpUrl, parseHttpUrl, type UrlRefusal } from '../../kernel/url.ts'
import type { EventOf } from '../../ledger/event.ts'
import { WITNESSES_MAX } from '../../ledger/events/log/witnesses-named.ts'
import type { Ledger } from '../../ledger/port.ts'
import { logStream } from '../../ledger/stream.ts'
import { parseVerifierKey, type VerifierKey } from '../../ledger/tlog/key.ts'
import { type Witness, type Witnesses, witnessesOf } from '../../ledger/tlog/witness.ts'
import { isWitnessName } from '../../publish/policy.ts'
import { Halt, orHalt } from '../halt.ts'

/** Who shall be named, out of who is; refused with what to do instead. */
export type WitnessChange = (now: Witnesses) => Pick<Witnesses, 'named' | 'quorum'>

const wrong = (because: string): Halt => new Halt({ tag: 'WrongUse', because })

const REFUSALS: { readonly [refusal in UrlRefusal]: string } = {
  'url-unparsable': 'it is none',
  'url-scheme': 'it must begin with https:// or http://',
  'url-userinfo': 'it must not hold a user or a password: it is recorded for ever',
  'url-too-long': 'it is too long',
  'url-host': 'its host is no name and no address',
}

/** The prefix under which a witness takes heads. */
const urlOf = (given: string): HttpUrl => {
  const url = parseHttpUrl(given)
  if (E.isLeft(url)) throw wrong(`no address of a witness: ${REFUSALS[url.left]}`)
  if (!url.right.includes('?')) return url.right
  throw wrong('no address of a witness: it is a prefix, and has no query')
}

const keyOf = (given: string): VerifierKey => {
  const key = parseVerifierKey(given)
  if (E.isLeft(key)) throw wrong(`no key of a witness: ${describeParseFailure(key.left)}`)
  if (key.right.use === 'witness' && isWitnessName(key.right.name)) return key.right
  throw wrong(
    key.right.use === 'log'
      ? 'this is a key that signs logs (0x01); a witness’s key has the algorithm 0x04'
      : `a policy cannot have a witness of the name ${key.right.name}`,
  )
}

/** One more witness: its name and its key are those of nobody else. */
export const addWitness = (givenUrl: string, vkey: string): WitnessChange => {
  const [url, key] = [urlOf(givenUrl), keyOf(vkey)]
  return ({ named, quorum }) => {
    const same = named.find(({ key: other }) => other.name === key.name)
    if (same !== undefined)
      throw wrong(
        `there is a witness ${key.name} already, at ${same.url}; take that one out first (witness remove)`,
      )
    const other = named.find(({ key: { publicKey } }) => publicKey.equals(key.publicKey))
    if (other !== undefined)
      throw wrong(`the witness ${other.key.name} has this key: each key counts once`)
    if (named.length >= WITNESSES_MAX) throw wrong(`there are at most ${WITNESSES_MAX} witnesses`)
    return { named: [...named, { key, url }], quorum }
  }
}

/** One witness less; a quorum that its going makes impossible becomes more than half again. */
export const removeWitness =
  (name: string): WitnessChange =>
  ({ named, quorum }) => {
    const left = named.filter(({ key }) => key.name !== name)
    if (left.length === named.length)
      throw new Halt({ tag: 'NotFound', because: `there is no witness ${name}; see witness list` })
    return { named: left, quorum: quorum !== null && quorum > left.length ? null : quorum }
  }

/** So many of them, or `null`: more than half, whoever is added. */
export const setQuorum =
  (quorum: number | null): WitnessChange =>
  ({ named }) => {
    if (quorum !== null && (quorum < 1 || quorum > named.length))
      throw wrong(`a quorum is from 1 to the number of witnesses, which is ${named.length}`)
    return { named, quorum }
  }

export type Act = { readonly run: string; readonly by: string | null; readonly note: string | null }

/** Records the change in the stream of the log, which must be open. */
export const nameWitnesses = async (
  ledger: Pick<Ledger, 'append' | 'readStream'>,
  change: WitnessChange,
  { run, by, note }: Act,
): Promise<readonly Witness[]> => {
  const stream = await orHalt(ledger.readStream(logStream, 0))
  const { named, quorum } = change(witnessesOf(stream))
  const event: EventOf<'WitnessesNamed'> = {
    type: 'WitnessesNamed',
    v: 1,
    witnesses: named.map(({ key, url }) => ({ url, vkey: key.vkey })),
    quorum,
    by: by === null ? null : clip(by, 200),
    note: note === null ? null : clip(note, 1_000),
  }
  await orHalt(
    ledger.append(run, { stream: logStream, expectedVersion: stream.length, events: [event] }),
  )
  return named
}
