/**
 * A finding (PR17): a change between two captures that somebody wants to know of, with the method
 * that found it and both captures it rests on. Every projection of findings has rows of this shape.
 */
import type { Json } from '../src/kernel/canonical-json.ts'
import { formatInstant } from '../src/kernel/instant.ts'
import type { Position } from '../src/kernel/position.ts'
import type { Recorded } from '../src/ledger/entry.ts'
import { type Row, rowMaker, type Rows } from './projection.ts'

export const FINDING_KINDS = [
  'robots-blocks',
  'robots-unblocks',
  'ads-txt-state',
  'ads-txt-record-broke',
  'ads-txt-record-removed',
  'ads-txt-record-added',
  'ads-txt-relationship',
  'ads-txt-variable-removed',
  'ads-txt-variable-added',
  'ads-txt-fault-new',
  'ads-txt-fault-gone',
  'seller-disappeared',
  'seller-appeared',
  'seller-changed',
  'seller-list-too-long',
  'network-changed',
] as const
export type FindingKind = (typeof FINDING_KINDS)[number]

/** A capture as evidence: the event that concluded it, and the kept body where there is one. */
export type Cited = {
  readonly position: number
  readonly at: string
  readonly request: number | null
  readonly commit: string | null
}

/**
 * `site`: whose file it is; `about`: the crawler, record, seller or network; `concerns`: another site
 * that it is news for. `change`: the method's own words; `says`: a sentence for people.
 */
export type Finding = {
  readonly kind: FindingKind
  readonly programme: string
  readonly site: string
  readonly night: string
  readonly about: string
  readonly concerns: string | null
  readonly before: Cited
  readonly after: Cited
  readonly method: string
  readonly change: string
  readonly says: string
}

/** Most findings that one comparison gives. */
const FOUND_MAX = 200

const TEXT_MAX = 600
const cut = (text: string): string =>
  text.length <= TEXT_MAX ? text : `${text.slice(0, TEXT_MAX - 1).toWellFormed()}…`

const bounded = (finding: Finding): Finding => ({
  ...finding,
  about: cut(finding.about),
  change: cut(finding.change),
  says: cut(finding.says),
})

/** What one comparison gave; what is too much is told in the sentence of the last. */
export const foundOnce = (
  fresh: readonly Finding[],
  max: number = FOUND_MAX,
): readonly Finding[] => {
  const first = fresh.slice(0, max).map(bounded)
  const more = fresh.length - first.length
  const last = first.at(-1)
  return more === 0 || last === undefined
    ? first
    : [
        ...first.slice(0, -1),
        { ...last, says: `${last.says} ${more} more changes are not listed.` },
      ]
}

export const citedBy = (
  { position, ts }: Pick<Recorded, 'position' | 'ts'>,
  { request, commit }: { readonly request: Position | null; readonly commit: string | null },
): Cited => ({ position, at: formatInstant(ts), request, commit })

const columns = [
  'kind',
  'site',
  'position',
  'night',
  'at',
  'about',
  'concerns',
  'says',
  'change',
  'method',
  'programme',
  'request',
  'commit',
  'before_position',
  'before_at',
  'before_request',
  'before_commit',
] as const
const rowFrom = rowMaker(columns)

const rowOf = ({ before, after, ...finding }: Finding): Row =>
  rowFrom(
    after.position,
    { ...finding, at: after.at, request: after.request, commit: after.commit },
    {
      before_position: before.position,
      before_at: before.at,
      before_request: before.request,
      before_commit: before.commit,
    },
  )

/** `found`: what the last event told. */
export const findingRows: Rows<
  { readonly found: readonly Finding[] } & { readonly [more: string]: Json }
> = {
  columns,
  identity: ['position', 'kind', 'about'],
  rowsOf: ({ found }) => found.map(rowOf),
}

/** Once they are in the table, no state needs to know of them. */
export const addingFindings = {
  keeps: <S extends { readonly found: readonly Finding[] }>(state: S): S =>
    state.found.length === 0 ? state : { ...state, found: [] },
}

/** A cell that holds text; '' for any other. */
export const textIn = (row: Row | undefined, column: string): string => {
  const cell = row?.[column]
  return typeof cell === 'string' ? cell : ''
}
