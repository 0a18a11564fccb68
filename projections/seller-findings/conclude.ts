/** One concluded fetch of a sellers.json as entries to compare; null: it gives no list. */
import { oneOf, parse, t } from '../../src/kernel/codec.ts'
import { E } from '../../src/kernel/fp.ts'
import type { EventOf } from '../../src/ledger/event.ts'
import type { Folded } from '../projection.ts'

const ReadingShape = t.type({
  state: oneOf('ok', 'keep_last'),
  sellers: t.array(
    t.intersection([
      t.type({ id: t.string, confidential: t.boolean }),
      t.partial({ type: t.string, domain: t.string }),
    ]),
  ),
})

/** An entry as text, `TYPE|domain|id` or `TYPE confidential|domain|id`: only the id may hold a bar. */
export type Entry = string

const CONFIDENTIAL = ' confidential'

/** `entries` null: the list is longer than what is compared. */
export type SellersConclusion = {
  readonly entries: readonly Entry[] | null
  readonly method: string
}

/** Some hundred thousand sellers; a state is not to hold a list of a million. */
export const ENTRY_CHARACTERS_MAX = 4_194_304

export const concludeSellers = (
  event: EventOf<'FetchConcluded'>,
  reading: Folded['reading'],
): SellersConclusion | null => {
  if (event.outcome !== 'answered' || reading === undefined || 'unread' in reading) return null
  const shape = parse('reading', ReadingShape, reading.reading)
  if (E.isLeft(shape) || shape.right.state !== 'ok') return null
  const entries = new Set<Entry>()
  let characters = 0
  for (const { id, type = '', domain = '', confidential } of shape.right.sellers) {
    const entry = `${type}${confidential ? CONFIDENTIAL : ''}|${domain}|${id}`
    characters += entry.length
    if (characters > ENTRY_CHARACTERS_MAX) return { entries: null, method: reading.reader }
    entries.add(entry)
  }
  return { entries: [...entries].sort(), method: reading.reader }
}

/** What the entries of one account say; several where an id stands in the list more than once. */
export type Account = { readonly id: string; readonly says: readonly string[] }

export type SellerChange =
  | { readonly kind: 'disappeared' | 'appeared'; readonly is: Account }
  | { readonly kind: 'changed'; readonly was: Account; readonly is: Account }

export type SellerChanges = {
  readonly accounts: number
  readonly lost: number
  readonly changes: readonly SellerChange[]
}

export const compareEntries = (
  before: readonly Entry[],
  after: readonly Entry[],
): SellerChanges => {
  const [was, is] = [accountsOf(before), accountsOf(after)]
  const changes: SellerChange[] = []
  for (const [id, says] of was) {
    const now = is.get(id)
    if (now === undefined) changes.push({ kind: 'disappeared', is: { id, says } })
    else if (now.join('\n') !== says.join('\n'))
      changes.push({ kind: 'changed', was: { id, says }, is: { id, says: now } })
  }
  const lost = changes.filter(({ kind }) => kind === 'disappeared').length
  for (const [id, says] of is)
    if (!was.has(id)) changes.push({ kind: 'appeared', is: { id, says } })
  return { accounts: was.size, lost, changes }
}

export const accountsOf = (entries: readonly Entry[]): ReadonlyMap<string, readonly string[]> => {
  const accounts = new Map<string, string[]>()
  for (const entry of entries) {
    const bar = entry.indexOf('|', entry.indexOf('|') + 1)
    const [id, says] = [entry.slice(bar + 1), entry.slice(0, bar)]
    const known = accounts.get(id)
    if (known === undefined) accounts.set(id, [says])
    else known.push(says)
  }
  return accounts
}

/** What an entry says, taken apart again. */
export const partsOf = (
  said: string,
): { readonly type: string; readonly domain: string; readonly confidential: boolean } => {
  const [words = '', domain = ''] = said.split('|')
  const confidential = words.endsWith(CONFIDENTIAL)
  const type = confidential ? words.slice(0, -CONFIDENTIAL.length) : words
  return { type, domain, confidential }
}

/** `PUBLISHER a.example`, and with several entries each of them. */
export const saidOf = ({ says }: Account): string =>
  says
    .map((said) => {
      const { type, domain, confidential } = partsOf(said)
      const kind = `${type === '' ? 'seller without type' : type}${confidential ? ', confidential,' : ''}`
      return `${kind} ${domain === '' ? 'without domain' : domain}`
    })
    .join(' and ')

export const domainOf = ({ says }: Account): string | null => {
  const { domain } = partsOf(says[0] ?? '')
  return domain === '' ? null : domain
}
