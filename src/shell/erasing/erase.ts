/**
 * A person has kept bodies erased. First the ledger says so, durably; only then is anything deleted
 * (see `sweep.ts`): there is never a body gone without its event.
 */
import type { Digest } from '../../kernel/digest.ts'
import { E } from '../../kernel/fp.ts'
import type { Position } from '../../kernel/position.ts'
import type { Site } from '../../kernel/site.ts'
import { siteOf } from '../../kernel/url.ts'
import type { Recorded } from '../../ledger/entry.ts'
import type { EventOf } from '../../ledger/event.ts'
import type { Ledger } from '../../ledger/port.ts'
import { siteStream } from '../../ledger/stream.ts'
import { appendFact, type SiteWriter } from '../append.ts'
import { Halt, orHalt } from '../halt.ts'
import type { Bodies } from './erased-bodies.ts'

export type Erasing = SiteWriter & {
  readonly ports: { readonly ledger: Ledger; readonly bodies: Pick<Bodies, 'get'> }
}

/** A kept body that is there to be erased. */
export type Target = {
  readonly site: Site
  readonly response: Position
  readonly request: Position
  readonly commit: Digest
  readonly bytes: number
  readonly url: string
}

type Ports = Erasing['ports']

const refuse = (because: string): never => {
  throw new Halt({ tag: 'NotFound', because })
}

/** The body that was kept of the response at `position`, or of the one that this event rests on. */
export const targetAt = async ({ ledger, bodies }: Ports, position: number): Promise<Target> => {
  const [recorded] = await orHalt(ledger.readAll({ after: position - 1, limit: 1 }))
  if (recorded?.position !== position) return refuse(`there is no position ${position}`)
  const response = await responseOf(ledger, recorded)
  const kept = response === undefined ? undefined : keptIn(response)
  if (kept === undefined)
    return refuse(
      `position ${position} is ${recorded.event.type} and has no kept body; name the ResponseReceived of one (see \`show ${position}\`)`,
    )
  const state = await stateOf(bodies, kept)
  if (state === 'there') return kept
  return refuse(
    state === 'missing'
      ? `the body of position ${kept.response} is not in this data directory, and no event says that it was erased: run verify --full`
      : `the body of position ${kept.response} was erased already, by event ${state.event}`,
  )
}

/** The answer that an event is, or rests on. */
const responseOf = async (
  ledger: Pick<Ledger, 'readAll'>,
  recorded: Recorded,
): Promise<Recorded | undefined> => {
  const { event } = recorded
  if (event.type === 'ResponseReceived') return recorded
  const request =
    event.type === 'RequestSent' ? recorded.position : 'request' in event ? event.request : null
  if (request === null) return undefined
  const [sent] = await orHalt(ledger.readAll({ after: request - 1, limit: 1 }))
  if (sent === undefined) return undefined
  // A site is asked one thing at a time: its next answer is the answer to this request.
  const query = { after: request, limit: 1, types: ['ResponseReceived' as const] }
  const [next] = await orHalt(ledger.readAll({ ...query, stream: sent.stream }))
  return next?.event.type === 'ResponseReceived' && next.event.request === request
    ? next
    : undefined
}

const keptIn = ({ event, position }: Recorded): Target | undefined => {
  if (event.type !== 'ResponseReceived' || !event.body.kept) return undefined
  const { url, request, body } = event
  const { commit, bytes } = body
  return { site: siteOf(url), response: position, request, commit, bytes, url }
}

type State = 'there' | 'missing' | { readonly event: number }

/** A body that does not fit its commitment ends the command: erasing it would hide the breach. */
const stateOf = async (bodies: Ports['bodies'], { commit }: Target): Promise<State> => {
  const body = await bodies.get(commit)()
  if (E.isRight(body)) return 'there'
  if (body.left.tag === 'BodyMissing') return 'missing'
  if (body.left.tag === 'BodyErased') return { event: body.left.event }
  throw new Halt(body.left)
}

const PAGE = 200

/** Every kept body of a site that is still there, page by page; `missing` counts those that are not. */
export async function* targetsOf(
  { ledger, bodies }: Ports,
  site: Site,
): AsyncGenerator<{ readonly targets: readonly Target[]; readonly missing: number }> {
  const stream = siteStream(site)
  for (let after = 0; ;) {
    const query = { after, limit: PAGE, types: ['ResponseReceived' as const], stream }
    const page = await orHalt(ledger.readAll(query))
    const targets: Target[] = []
    let missing = 0
    for (const recorded of page) {
      const kept = keptIn(recorded)
      const state = kept === undefined ? undefined : await stateOf(bodies, kept)
      if (kept !== undefined && state === 'there') targets.push(kept)
      if (state === 'missing') missing += 1
    }
    yield { targets, missing }
    after = page.at(-1)?.position ?? after
    if (page.length < PAGE) return
  }
}

export type Grounds = Pick<EventOf<'BodyErased'>, 'by' | 'note' | 'basis'>

/** Records the erasure of each target, in the stream of its site: all of a site's together. */
export const recordErasures = async (
  writer: Erasing,
  targets: readonly Target[],
  grounds: Grounds,
): Promise<void> => {
  for (const [site, ofSite] of Map.groupBy(targets, (target) => target.site))
    await appendFact(writer, site, () =>
      ofSite.map(({ response, request, commit, bytes }) => ({
        type: 'BodyErased',
        v: 1,
        site,
        ...grounds,
        response,
        request,
        commit,
        bytes,
      })),
    )
}
