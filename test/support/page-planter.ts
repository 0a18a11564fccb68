/** A `Planter` for a programme that reads pages: its shipped policy, a short source list, one run by hand. */
import { readFileSync } from 'node:fs'
import { sha256Hex } from '../../src/kernel/digest.ts'
import { position } from '../../src/kernel/position.ts'
import type { Recorded } from '../../src/ledger/entry.ts'
import type { EventOf, LedgerEvent } from '../../src/ledger/event.ts'
import { programmeStream, runStream } from '../../src/ledger/stream.ts'
import { parsePolicy } from '../../src/programmes/policy-file.ts'
import { Planter } from './audit-planter.ts'
import type { AuditWorld } from './audit-world.ts'
import { right } from './either.ts'
import { at, url } from './site.ts'

export const SHOP = 'https://shop.example'
export const OFFICE = 'https://office.example'

const SOURCES = [
  { id: 'phones', url: url(`${SHOP}/phones`) },
  { id: 'phones', url: url(`${SHOP}/phones/2`) },
  { id: 'tablets', url: url(`${SHOP}/tablets`) },
  { id: 'office', url: url(`${OFFICE}/records`) },
]

const fileOf = (programme: string): string =>
  readFileSync(new URL(`../../src/programmes/${programme}/policy.json`, import.meta.url), 'utf8')

export const pagePlanter = (
  world: AuditWorld,
  programme: 'pta-karo' | 'public-records-check',
  run: Partial<EventOf<'RunStarted'>> = {},
): Planter => {
  const text = fileOf(programme)
  const policy = right(parsePolicy('policy.json', text))
  const digest = sha256Hex('sources')
  const stream = programmeStream(programme)
  const events: readonly LedgerEvent[] = [
    {
      type: 'LogOpened',
      v: 2,
      origin: 'simulated.invalid/x',
      clock: 'simulated',
      software: 'test',
      predecessor: null,
    },
    { type: 'ProgrammeAdopted', v: 1, programme, policy: text, policyDigest: sha256Hex(text) },
    { type: 'SourceListAdopted', v: 1, programme, digest, part: 1, parts: 1, sources: SOURCES },
    {
      type: 'RunStarted',
      v: 2,
      programme,
      adopted: position(2),
      night: '2031-01-01',
      kind: 'hand',
      sources: digest,
      software: 'test',
      node: '0',
      readers: {},
      process: 'run-before',
      job: null,
      also: [],
    },
  ]
  const past = events.map((event, i): Recorded => ({
    ts: at('2031-01-01T12:00:00Z'),
    stream: event.type === 'RunStarted' ? runStream('run-before') : stream,
    version: event.type === 'SourceListAdopted' ? 2 : 1,
    run: 'run-before',
    position: position(i + 1),
    event,
  }))
  return new Planter(past, world, { policy, run: { kind: 'night', ...run } })
}
