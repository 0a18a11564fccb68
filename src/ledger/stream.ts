import { t } from '../kernel/codec.ts'
import type { Site } from '../kernel/site.ts'

interface StreamNameBrand {
  readonly StreamName: unique symbol
}
/** `category-id`: the ordered events about one thing. */
export type StreamName = string & t.Branded<string, StreamNameBrand>

export const StreamName: t.Type<StreamName, string> = t.brand(
  t.string,
  (s): s is StreamName => /^[a-z]+(-[A-Za-z0-9_:.[\]-]{1,280})?$/.test(s),
  'StreamName',
)

// The parts come from branded values or fixed words, so the form holds by construction.
const stream = (category: string, id: string): StreamName => `${category}-${id}` as StreamName

export const logStream = 'log' as StreamName
/** Beside `log`, which is read at every sealing: the time stamps over its heads. */
export const timestampStream = stream('log', 'timestamps')
export const siteStream = (site: Site): StreamName => stream('site', site)
export const runStream = (run: string): StreamName => stream('run', run)
export const programmeStream = (programme: string): StreamName => stream('programme', programme)
export const projectionStream = (projection: string): StreamName => stream('projection', projection)
export const claimStream = (id: string): StreamName => stream('claim', id)
