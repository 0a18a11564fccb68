/** Where the second reader would have decided otherwise, and why. */
import { E } from '../kernel/fp.ts'
import { type HttpUrl, originOf, parseHttpUrl } from '../kernel/url.ts'
import { judgeRobots, type Judgement } from './decide.ts'
import { textOfOctets } from './octets.ts'
import { readRobots } from './read.ts'
import type { RobotsReader } from './reader.ts'
import { type Repair, repaired, REPAIRS } from './repair.ts'
import type { RobotsFile } from './robots-file.ts'
import { eachOf } from './rows.ts'

/** `robots-txt`: /robots.txt is always allowed. `bare-query`: a `?` with nothing behind it. */
export type DifferenceKind = Repair | 'robots-txt' | 'bare-query' | 'unexplained'

export const DIFFERENCE_KINDS: Readonly<Record<DifferenceKind, string>> = {
  'robots-txt': '/robots.txt itself, which is always allowed (§2.2.2)',
  'bare-query': 'an address that ends with a bare ?, which is part of it',
  ...REPAIRS,
  unexplained: 'nothing that is known',
}

export type Difference = {
  readonly agent: string
  readonly url: HttpUrl
  readonly allowed: boolean
  /** The winning rule’s line, 0 for none. */
  readonly line: number
  readonly second: { readonly allowed: boolean; readonly line: number }
  /** More than one where only together they explain it. */
  readonly kinds: readonly DifferenceKind[]
}

export type Comparison = {
  readonly decisions: number
  /** Why the second reader did not take the file or some address; null if it took all. */
  readonly declined: string | null
  readonly differences: readonly Difference[]
}

const AGENTS_MAX = 5
const ADDRESSES_MAX = 24

/** Both readers on addresses made from the file's own rules, for agents that it names and one it does not. */
export const compareReaders = (bytes: Uint8Array, second: RobotsReader): Comparison => {
  const file = readRobots(bytes)
  const differences: Difference[] = []
  let decisions = 0
  let declined: string | null = null
  for (const url of addressesOf(file)) {
    for (const agent of agentsOf(file)) {
      const theirs = second.answer(bytes, agent, url)
      if (theirs.tag === 'Declined') {
        declined = theirs.because
        continue
      }
      decisions += 1
      const ours = judgeRobots(file, agent, url)
      if (ours.allowed === theirs.allowed) continue
      const kinds = kindsOf({ bytes, agent, url, ours, second })
      const { allowed, line } = theirs
      differences.push({
        agent,
        url,
        allowed: ours.allowed,
        line: ours.rule?.line ?? 0,
        second: { allowed, line },
        kinds,
      })
    }
  }
  return { decisions, declined, differences }
}

/** Names that robots.txt can address, and one that no file names. */
const agentsOf = (file: RobotsFile): readonly string[] => {
  const names = new Map([['unheardofbot', 'UnheardOfBot']])
  for (const { name } of eachOf(file.agents)) {
    if (/^[A-Za-z_-]{1,100}$/.test(name)) names.set(name.toLowerCase(), name)
    if (names.size === AGENTS_MAX) break
  }
  return [...names.values()]
}

/** What the rules speak of: each pattern with something for its stars, and with something behind it. */
const addressesOf = (file: RobotsFile): readonly HttpUrl[] => {
  const urls = new Set<HttpUrl>()
  const add = (path: string): void => {
    const url = parseHttpUrl(`https://origin.example${path}`)
    if (E.isRight(url)) urls.add(url.right)
  }
  for (const path of ['/', '/robots.txt', '/x']) add(path)
  // Rules from all over the file: the first of many say little about the rest.
  const step = Math.max(1, Math.floor((2 * file.rules.length) / ADDRESSES_MAX))
  for (let place = 0; place < file.rules.length && urls.size < ADDRESSES_MAX; place += step) {
    const { text, pattern } = file.rules.at(place)
    for (const spelt of [pattern.text, asWritten(text)]) {
      const path = spelt.startsWith('*') ? `/${spelt.slice(1)}` : spelt
      if (!path.startsWith('/') || path.length > 2_000) continue
      add(path.replaceAll('*', 'x'))
      if (!pattern.anchored) add(`${path.replaceAll('*', '')}y`)
    }
  }
  return [...urls]
}

/** A rule’s value in the octets its owner wrote. */
const asWritten = (text: string): string =>
  textOfOctets(text.slice(text.indexOf(':') + 1), 2_000)
    .trim()
    .replace(/\$$/, '')

type Differing = {
  readonly bytes: Uint8Array
  readonly agent: string
  readonly url: HttpUrl
  readonly ours: Judgement
  readonly second: RobotsReader
}

const kindsOf = (differing: Differing): readonly DifferenceKind[] => {
  const { ours } = differing
  if (ours.basis === 'robots-file') return ['robots-txt']
  const all: readonly Repair[] = REPAIR_NAMES
  const alone = all.find((repair) => agrees(differing, [repair]))
  if (alone !== undefined) return [alone]
  if (losesBareQuery(differing)) return ['bare-query']
  if (!agrees(differing, all)) return ['unexplained']
  // Leave out, one after the other, what is not needed.
  return all.reduce<readonly Repair[]>((needed, repair) => {
    const fewer = needed.filter((other) => other !== repair)
    return agrees(differing, fewer) ? fewer : needed
  }, all)
}

// The keys of an object literal are of its key type; TypeScript does not say so by itself.
const REPAIR_NAMES = Object.keys(REPAIRS) as readonly Repair[]

/** About the address without its `?` both say what only the second reader says about it with it. */
const losesBareQuery = ({ bytes, agent, url, ours, second }: Differing): boolean => {
  const shorter = url.endsWith('?') ? parseHttpUrl(url.slice(0, -1)) : undefined
  if (shorter === undefined || E.isLeft(shorter)) return false
  const without = judgeRobots(readRobots(bytes), agent, shorter.right)
  const about = { bytes, agent, url: shorter.right, ours: without, second }
  return without.allowed !== ours.allowed && agrees(about, REPAIR_NAMES)
}

/** Would the second reader agree if this were written as we read it? */
const agrees = (
  { bytes, agent, url, ours, second }: Differing,
  repairs: readonly Repair[],
): boolean => {
  const asked = repairs.includes('octets') ? canonicalUrl(url, ours.path) : url
  const answer = second.answer(repaired(bytes, new Set(repairs)), agent, asked)
  return answer.tag === 'Decided' && answer.allowed === ours.allowed
}

/** Not resolved as a reference: a path that begins with `//` would name a host. */
const canonicalUrl = (url: HttpUrl, path: string): HttpUrl => {
  const canonical = parseHttpUrl(originOf(url) + path)
  return E.isRight(canonical) ? canonical.right : url
}
