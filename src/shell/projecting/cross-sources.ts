/** What a cross-check reads: the sellers of each advertising system, and the ads.txt of each site. */
import { adsTxtState, sellerFindings } from '../../../projections/index.ts'
import type { ProjectionStore } from '../../../projections/port.ts'
import type { Row } from '../../../projections/projection.ts'
import type { Site } from '../../kernel/site.ts'
import { orHalt } from '../halt.ts'
import { type AsOfPorts, rowsAsOf } from './as-of.ts'
import { inForce } from './reader-in-force.ts'
import { foldInMemory, upTo } from './rows-at.ts'

export type CrossSources = {
  /** States of `seller-findings`, one by one: each may hold megabytes. */
  readonly sellers: AsyncIterable<unknown>
  /** Rows of `ads-txt-state`. */
  readonly files: AsyncIterable<readonly Row[]>
}

const PAGE = 200

/** As the tables stand, which must have been brought up to date. With `site` only its ads.txt. */
export const sourcesNow = (store: ProjectionStore, site?: Site): CrossSources => ({
  sellers: sellersNow(store),
  files: filesNow(store, site),
})

async function* sellersNow(store: ProjectionStore): AsyncGenerator {
  const live = await orHalt(store.live(sellerFindings))
  if (live === undefined) return
  for (let after = ''; ;) {
    const [one] = await orHalt(store.readStates(live, { after, limit: 1 }))
    if (one === undefined) return
    after = one.key
    yield JSON.parse(one.state)
  }
}

async function* filesNow(store: ProjectionStore, site?: Site): AsyncGenerator<readonly Row[]> {
  const where = site === undefined ? {} : { where: { site } }
  let after: string | undefined
  do {
    const from = after === undefined ? {} : { after }
    const page = await orHalt(store.readRows(adsTxtState, { ...where, limit: PAGE, ...from }))
    yield page.rows
    after = page.next
  } while (after !== undefined)
}

/** Both as of `position`. The sellers are folded from history, which takes about a second of a million events. */
export const sourcesAt = (ports: AsOfPorts, position: number, site?: Site): CrossSources => ({
  sellers: sellersAt(ports, position),
  files: rowsAsOf(ports, adsTxtState, {
    moment: { position },
    ...(site === undefined ? {} : { site }),
  }),
})

async function* sellersAt(ports: AsOfPorts, position: number): AsyncGenerator {
  const live = await orHalt(ports.store.live(sellerFindings))
  const projection = await orHalt(() => inForce(ports, sellerFindings, live))
  const follow = upTo(ports.ledger, { position })
  const { held } = await orHalt(() => foldInMemory(ports, projection, { follow }))
  for (const { state } of held.values()) yield state
}
