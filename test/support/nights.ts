/** A long history of the mix a crawl writes: night after night, site after site. */
import type { Database } from '../../src/adapters/postgres/database.ts'
import { encodeEntry, leafHash, type Recorded } from '../../src/ledger/entry.ts'
import { History, url } from './history.ts'

/** At least `events` events about `sites` sites; the same ones for the same numbers. */
export const nights = (events: number, sites: number): History => {
  const history = new History()
  history.adoptSources(['network', 'https://network.test/sellers.json'])
  for (let night = 1; history.recorded.length < events; night += 1) {
    history.startRun(`run-${night}`)
    askNetwork(history, night)
    for (let i = 0; i < sites && history.recorded.length < events; i += 1)
      visit(history, `publisher-${i}.example`, i + night * 7)
    history.endRun()
  }
  return history
}

const askNetwork = (history: History, night: number): void => {
  const body = JSON.stringify({
    version: '1.0',
    sellers: [
      { seller_id: String(night), domain: 'publisher-1.example', seller_type: 'PUBLISHER' },
    ],
  })
  history.fetch(
    { site: 'network.test', purpose: 'sellers-json' },
    { tag: 'answer', status: night % 3 === 0 ? 503 : 200, body, type: 'application/json' },
  )
}

const visit = (history: History, site: string, dice: number): void => {
  const robots = { site, purpose: 'robots' as const }
  const found = dice % 5 !== 0
  const request = history.request(robots, url(`https://${site}/robots.txt`), 0, {
    tag: 'answer',
    status: found ? 200 : 404,
    body: 'User-agent: *\nDisallow: /private\n',
  })
  history.robotsRead(site, found ? 'rules' : 'unavailable', request)
  const moved = dice % 4 === 0 ? { redirects: [301] } : {}
  const body = `ads.example, ${dice % 13}, DIRECT\n`
  history.fetch(
    { site, purpose: 'ads-txt', ...moved },
    dice % 11 === 0 ? { tag: 'failure', reason: 'timeout' } : { tag: 'answer', status: 200, body },
  )
  if (dice % 9 === 0) history.withhold(site, 'homepage', 'robots-disallow')
  else history.fetch({ site, purpose: 'homepage' }, { tag: 'answer', status: 200 })
}

const PAGE = 5_000

/** Writes the events where an append would have put them. */
export const insertEvents = async (
  database: Database,
  recorded: readonly Recorded[],
): Promise<void> => {
  const client = await database.connect('crawl_ledger_writer')
  for (let at = 0; at < recorded.length; at += PAGE) {
    const rows = recorded.slice(at, at + PAGE).map(rowOf)
    await client.query(
      `insert into event (position, stream, version, type, ts, entry, leaf)
       select * from unnest($1::bigint[], $2::text[], $3::int[], $4::text[], $5::bigint[],
         $6::bytea[], $7::bytea[])`,
      [0, 1, 2, 3, 4, 5, 6].map((column) => rows.map((row) => row[column])),
    )
  }
  await client.end()
}

const rowOf = ({ event, ...envelope }: Recorded): readonly unknown[] => {
  const entry = encodeEntry(event, envelope)
  const { position, stream, version, ts } = envelope
  return [position, stream, version, event.type, ts, entry, leafHash(entry)]
}
