/** What `as-of.ts` measures: look-ups of earlier moments, drawn by lot. */
import { memoryBodyStore } from '../../src/adapters/memory/bodies.ts'
import { postgresLedger } from '../../src/adapters/postgres/ledger.ts'
import { postgresProjectionStore } from '../../src/adapters/postgres/projections/store.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { instant } from '../../src/kernel/instant.ts'
import { siteOfHost } from '../../src/kernel/site.ts'
import { READER_VERSIONS } from '../../src/readers/index.ts'
import { nearestRequests } from '../../src/shell/projecting/nearest-requests.ts'
import { type AsOf, rowsAsOf } from '../../src/shell/projecting/as-of.ts'
import { rowsAt } from '../../src/shell/projecting/rows-at.ts'
import {
  marketDay,
  PROJECTIONS,
  runSummary,
  sellerState,
  siteCooldown,
} from '../../projections/index.ts'
import type { Projection } from '../../projections/projection.ts'
import { right } from '../../test/support/either.ts'
import { url } from '../../test/support/history.ts'
import { openBench, SITES } from './filled-ledger.ts'

export const HOT = 'hot.example'
const SMALL: readonly Projection[] = [runSummary, marketDay, sellerState]
const DAY_MS = 86_400_000

export const opened = async (
  dataDir: string,
  bodies = memoryBodyStore((size) => Buffer.alloc(size)),
) => {
  const { database, close } = await openBench(dataDir)
  const ledger = right(await postgresLedger(database, systemClock())())
  const store = postgresProjectionStore(database)
  const end = async (): Promise<void> => {
    await ledger.close()
    await close()
  }
  return { database, ports: { ledger, store, bodies, readers: READER_VERSIONS }, end }
}

/** The same lots every time. */
const lots = (): ((below: number) => number) => {
  let state = 20_261_130
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 4_294_967_296) * below)
  }
}

type Ports = Awaited<ReturnType<typeof opened>>['ports']

/** Rows of the first page, as a person sees them come. */
const firstPage = async (ports: Ports, projection: Projection, asOf: AsOf): Promise<number> => {
  for await (const rows of rowsAsOf(ports, projection, asOf)) return rows.length
  return 0
}

const allPages = async (ports: Ports, projection: Projection, asOf: AsOf): Promise<number> => {
  let count = 0
  for await (const rows of rowsAsOf(ports, projection, asOf)) count += rows.length
  return count
}

export type LookUp = { readonly name: string; readonly task: () => Promise<number> }
type Bench = Awaited<ReturnType<typeof opened>>

/** What look-ups are drawn from: any moment, for the hot site only those at which it was there. */
export const chanceOf = async ({ ports }: Bench) => {
  const head = right(await ports.ledger.head()())
  const [first] = right(await ports.ledger.readAll({ after: 0, limit: 1 })())
  const began = first?.ts ?? 0
  const draw = lots()
  return {
    draw,
    position: () => ({ position: 1 + draw(head.position) }),
    hotPosition: () => ({ position: head.position - draw(Math.floor(head.position / 10)) }),
    time: () => instant(began + draw(head.ts - began)),
    site: () => siteOfHost(`publisher-${draw(SITES)}.example`),
  }
}
type Chance = Awaited<ReturnType<typeof chanceOf>>

export const bareLookUp = ({ database }: Bench, { position }: Chance): LookUp => ({
  name: 'bare query for one position',
  task: async () => {
    const values = [position().position]
    const found = await database.projector.query('select * from event where position = $1', values)
    return found.rowCount ?? 0
  },
})

const sited = PROJECTIONS.filter(({ table }) => table.columns.includes('site'))

export const stateLookUps = ({ ports }: Bench, chance: Chance): readonly LookUp[] => {
  const { position, hotPosition, time, site } = chance
  const ofSites = sited.flatMap((one): readonly LookUp[] => {
    const ways: readonly (readonly [string, () => AsOf])[] = [
      ['--site --at POSITION', () => ({ moment: position(), site: site() })],
      ['--site --at TIME', () => ({ moment: { ts: time() }, site: site() })],
      ['--site HOT --at POSITION', () => ({ moment: hotPosition(), site: siteOfHost(HOT) })],
    ]
    return ways.map(([way, asOf]) => ({
      name: `${one.name} ${way}`,
      task: () => firstPage(ports, one, asOf()),
    }))
  })
  const whole = SMALL.map((one) => ({
    name: `${one.name} --at POSITION`,
    task: () => allPages(ports, one, { moment: position() }),
  }))
  return [...ofSites, ...whole]
}

export const findLookUps = ({ ports }: Bench, { draw, time, site }: Chance): readonly LookUp[] => {
  const addresses: readonly (readonly [string, () => string])[] = [
    ['often asked', () => `https://${HOT}/ads.txt`],
    ['seldom asked', () => `https://${site()}/ads.txt`],
    ['never asked', () => `https://${site()}/${draw(1_000)}`],
    ['never asked, hot site', () => `https://${HOT}/${draw(1_000)}`],
    ['never asked, no site', () => `https://never-${draw(1_000)}.example/`],
  ]
  const windows = [
    ['', 300_000],
    [', years', 365 * DAY_MS],
  ] as const
  return addresses.flatMap(([name, address]) =>
    windows.map(([window, windowMs]) => ({
      name: `find ${name}${window}`,
      task: async () =>
        (await nearestRequests(ports, { time: time(), url: url(address()), windowMs })).length,
    })),
  )
}

export const foldFromTheBeginning = async ({ ports }: Bench): Promise<void> => {
  const { position } = right(await ports.ledger.head()())
  right(await rowsAt(ports)(siteCooldown, { position }, siteOfHost(HOT))())
}
