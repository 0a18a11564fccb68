/** Every version of a site's robots.txt or ads.txt that was seen, and when it changed. */
import type { BodyStore } from '../capture/port.ts'
import { type Digest, sha256Hex } from '../kernel/digest.ts'
import { E } from '../kernel/fp.ts'
import { type Instant } from '../kernel/instant.ts'
import type { Position } from '../kernel/position.ts'
import type { Site } from '../kernel/site.ts'
import type { Recorded } from '../ledger/entry.ts'
import type { Ledger } from '../ledger/port.ts'
import { siteStream } from '../ledger/stream.ts'
import { Halt, orHalt } from './halt.ts'

export type HistoricFile = 'ads.txt' | 'robots.txt'

/** One time the file was asked. `change` compares the bytes with the last ones that were kept. */
export type Seen = {
  readonly position: Position
  readonly request: Position | null
  readonly at: Instant
  readonly url: string
  readonly outcome: string
  readonly bytes: number | null
  readonly sha256: Digest | null
  readonly change: 'first' | 'same' | 'changed' | 'none' | 'erased'
}

const PAGE = 1_000

export async function* historyOf(
  ports: { readonly ledger: Ledger; readonly bodies: BodyStore },
  site: Site,
  file: HistoricFile,
): AsyncGenerator<Seen> {
  const before = new Map<string, Digest>()
  for await (const recorded of streamOf(ports.ledger, site)) {
    const told = toldBy(recorded, file)
    if (told === undefined) continue
    const { commit, url } = told
    const found = commit === null ? undefined : await bytesOf(ports.bodies, commit)
    const kept = found === 'erased' ? undefined : found
    const change = found === 'erased' ? found : changeTo(kept?.sha256, before.get(url))
    if (kept !== undefined) before.set(url, kept.sha256)
    const { position, ts: at } = recorded
    const { request, outcome } = told
    yield {
      position,
      request,
      at,
      url,
      outcome,
      bytes: kept?.bytes ?? null,
      sha256: kept?.sha256 ?? null,
      change,
    }
  }
}

const changeTo = (sha256: Digest | undefined, last: Digest | undefined): Seen['change'] => {
  if (sha256 === undefined) return 'none'
  if (last === undefined) return 'first'
  return last === sha256 ? 'same' : 'changed'
}

type Told = {
  readonly url: string
  readonly request: Position | null
  readonly outcome: string
  readonly commit: Digest | null
}

export const toldBy = ({ event }: Recorded, file: HistoricFile): Told | undefined => {
  if (file === 'robots.txt' && event.type === 'RobotsRead') {
    const { origin, request, access, because, commit } = event
    return { url: `${origin}/robots.txt`, request, outcome: `${access} (${because})`, commit }
  }
  if (file === 'ads.txt' && event.type === 'FetchConcluded' && event.purpose === 'ads-txt') {
    const { target, request, outcome, status, because, commit } = event
    const detail = status === null ? because : String(status)
    return {
      url: target,
      request,
      outcome: detail === '' ? outcome : `${outcome} (${detail})`,
      commit,
    }
  }
  return undefined
}

export async function* streamOf(ledger: Ledger, site: Site): AsyncGenerator<Recorded> {
  let version = 0
  for (;;) {
    const page = await orHalt(ledger.readStream(siteStream(site), version))
    yield* page
    version += page.length
    if (page.length < PAGE) return
  }
}

/** undefined: the bytes are not there any more, which is no breach by itself. */
const bytesOf = async (
  bodies: BodyStore,
  commit: Digest,
): Promise<{ readonly bytes: number; readonly sha256: Digest } | 'erased' | undefined> => {
  const body = await bodies.get(commit)()
  if (E.isRight(body)) return { bytes: body.right.length, sha256: sha256Hex(body.right) }
  if (body.left.tag === 'BodyMissing') return undefined
  if (body.left.tag === 'BodyErased') return 'erased'
  throw new Halt(body.left)
}
