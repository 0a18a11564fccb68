/** Which requests of ours are a line of a site's own log (RC26). */
import { requestLog } from '../../../projections/index.ts'
import type { Row } from '../../../projections/projection.ts'
import type { Instant } from '../../kernel/instant.ts'
import type { HttpUrl } from '../../kernel/url.ts'
import { orHalt } from '../halt.ts'
import { catchUp } from './catch-up.ts'
import type { ProjectionPorts } from './folding.ts'

export type Wanted = { readonly time: Instant; readonly url: HttpUrl; readonly windowMs: number }

const FOUND_MAX = 1_000

/** The requests to that address around that time, nearest first, at most 1,000. */
export const nearestRequests = async (
  ports: ProjectionPorts,
  { time, url, windowMs }: Wanted,
): Promise<readonly Row[]> => {
  await orHalt(catchUp(ports)(requestLog))
  const nearest = { textIn: 'url', text: url, timeIn: 'sent_at', to: time, withinMs: windowMs }
  return (await orHalt(ports.store.readRows(requestLog, { nearest, limit: FOUND_MAX }))).rows
}
