/** History against the promises: one pass over the ledger, each event judged by every rule. */
import type { Instant } from '../kernel/instant.ts'
import type { Position } from '../kernel/position.ts'
import type { Recorded } from '../ledger/entry.ts'
import {
  familyOf,
  type Family,
  PAGES,
  type PromiseId,
  PROMISES,
  type PublicPromise,
} from './catalogue.ts'
import { type KeptFile, keptWanted } from './kept-file.ts'
import { newPast, type Past } from './past.ts'
import { RULES } from './promises/index.ts'
import type { Finding, Judge, Kept, Rule, Scene } from './rule.ts'

export type Breach = {
  readonly position: Position
  /** When it happened. */
  readonly at: Instant
  /** One sentence. */
  readonly says: string
}

export type PromiseResult = {
  readonly promise: PromiseId
  /** null: a promise of the ledger itself, about all programmes. */
  readonly programme: string | null
  readonly says: string
  readonly state: 'kept' | 'broken' | 'not-applicable'
  /** How many events were judged, and how many could not be: a kept file is gone or was erased, or a policy unreadable. */
  readonly checked: number
  readonly unjudged: number
  /** All breaches; listed are the first BREACHES_LISTED_MAX. */
  readonly broken: number
  readonly breaches: readonly Breach[]
  /** What was looked at. */
  readonly looksAt: readonly string[]
  /** Why it is not applicable; empty otherwise. */
  readonly why: string
}

/** Which events count. What lies before them is replayed all the same: it is their past. */
export type Window = {
  readonly since: Instant | undefined
  readonly programme: string | undefined
}

export type PromiseAudit = {
  /** The kept file without which the event cannot be judged, to be given with it. */
  readonly wants: (recorded: Recorded) => KeptFile | undefined
  /** Judges the next event; positions rise. */
  readonly take: (recorded: Recorded, kept: Kept | undefined) => void
  readonly results: () => readonly PromiseResult[]
}

export const BREACHES_LISTED_MAX = 1_000

type Tally = { checked: number; unjudged: number; broken: number; readonly breaches: Breach[] }

const LEDGER = ''

export const promiseAudit = (window: Window): PromiseAudit => {
  const { past, take } = newPast()
  const judges = RULES.map((rule): readonly [Rule, Judge] => [rule, rule.begin()])
  const tallies = new Map<string, Tally>()

  const judge = (recorded: Recorded, kept: Kept | undefined): void => {
    const programme = programmeOf(recorded)
    const adopted = programme === undefined ? undefined : past.policyFor(recorded.run, programme)
    const inWindow = isIn(recorded, window)
    for (const [{ promises }, judged] of judges) {
      const finding = findingOf(judged, recorded, { past, kept, adopted })
      if (finding === undefined || !inWindow) continue
      for (const promise of promises) {
        const holders = holdersOf(promise, programme, past.programmes())
        for (const holder of holders) count(tallyOf(tallies, holder, promise), recorded, finding)
      }
    }
  }
  return {
    wants: (recorded) => keptWanted(recorded, past),
    take: (recorded, kept) => {
      judge(recorded, kept)
      take(recorded)
    },
    results: () => {
      const ran = [...past.programmes().keys()]
      const wanted = ran.filter((one) => one === (window.programme ?? one))
      return [
        ...wanted.flatMap((name) => resultsOf(tallies, name, familyOf(name))),
        ...(window.programme === undefined ? absentPages(ran) : []),
        ...resultsOf(tallies, LEDGER, 'CL'),
      ]
    },
  }
}

const programmeOf = ({ event }: Recorded): string | undefined =>
  'programme' in event ? event.programme : undefined

const isIn = (recorded: Recorded, { since, programme }: Window): boolean =>
  recorded.ts >= (since ?? recorded.ts) &&
  (programme === undefined || programme === (programmeOf(recorded) ?? programme))

type Given = Pick<Scene, 'past' | 'kept'> & { readonly adopted: ReturnType<Past['policyFor']> }

/** A request under a policy that cannot be read is no breach, and not kept either. */
const findingOf = (judge: Judge, recorded: Recorded, { adopted, ...given }: Given): Finding => {
  const policy = adopted === 'unreadable' ? undefined : adopted
  const unread = adopted === 'unreadable' && recorded.event.type === 'RequestSent'
  return judge(recorded, { ...given, policy }) ?? (unread ? 'unjudged' : undefined)
}

/** Whose promise it is: the programme the event speaks of, or, of a person's act, every one. */
const holdersOf = (
  promise: PromiseId,
  programme: string | undefined,
  all: ReadonlyMap<string, number>,
): readonly string[] => {
  if (promise.startsWith('CL')) return [LEDGER]
  const speaksOf = programme === undefined ? [...all.keys()] : [programme]
  return speaksOf.filter((name) => promise.startsWith(familyOf(name)))
}

const tallyOf = (tallies: Map<string, Tally>, programme: string, promise: PromiseId): Tally => {
  const key = `${programme} ${promise}`
  const tally = tallies.get(key) ?? { checked: 0, unjudged: 0, broken: 0, breaches: [] }
  tallies.set(key, tally)
  return tally
}

const count = (
  tally: Tally,
  { position, ts }: Recorded,
  finding: readonly string[] | 'unjudged',
) => {
  if (finding === 'unjudged') {
    tally.unjudged += 1
    return
  }
  tally.checked += 1
  tally.broken += finding.length
  for (const says of finding)
    if (tally.breaches.length < BREACHES_LISTED_MAX) tally.breaches.push({ position, at: ts, says })
}

const rulesOf = (id: PromiseId): readonly string[] =>
  RULES.filter(({ promises }) => promises.includes(id)).map(({ looksAt }) => looksAt)

const resultsOf = (
  tallies: Map<string, Tally>,
  programme: string,
  family: Family,
): readonly PromiseResult[] =>
  PROMISES[family].map((promise) => {
    const tally = tallyOf(tallies, programme, promise.id)
    const looksAt = rulesOf(promise.id)
    const state = tally.broken > 0 ? 'broken' : tally.checked > 0 ? 'kept' : 'not-applicable'
    return {
      promise: promise.id,
      programme: programme === LEDGER ? null : programme,
      says: promise.says,
      state,
      ...tally,
      looksAt,
      why: state === 'not-applicable' ? whyNot(promise, looksAt, tally) : '',
    }
  })

const whyNot = ({ unjudged }: PublicPromise, looksAt: readonly string[], tally: Tally): string => {
  if (unjudged !== undefined) return unjudged
  if (looksAt.length === 0) return 'no rule of this auditor judges it yet'
  return tally.unjudged > 0
    ? `${tally.unjudged} events cannot be judged: a kept file is gone, or their policy cannot be read`
    : 'no event called for it'
}

/** The pages whose programme this ledger has never run. */
const absentPages = (ran: readonly string[]): readonly PromiseResult[] =>
  PAGES.filter(([name]) => !ran.includes(name)).flatMap(([name, family]) =>
    PROMISES[family].map(({ id, says }) => ({
      promise: id,
      programme: name,
      says,
      state: 'not-applicable' as const,
      checked: 0,
      unjudged: 0,
      broken: 0,
      breaches: [],
      looksAt: rulesOf(id),
      why: 'the ledger has no run of that programme',
    })),
  )
