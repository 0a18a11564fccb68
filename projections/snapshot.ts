/**
 * Snapshots: what a state was at some positions, so that it can be had as of any other by folding no more
 * than a few events. They are made by the fold, live and die with its table, and prove nothing.
 */
import { canonicalJson } from '../src/kernel/canonical-json.ts'
import { sha256Hex } from '../src/kernel/digest.ts'
import type { Row } from './projection.ts'

/**
 * A snapshot is taken when so many events have changed a state since the one before, or as many times that as
 * a large state needs: a snapshot has at most SNAPSHOT_BYTES characters for each of these events.
 */
export const SNAPSHOT_EVERY = 64
export const SNAPSHOT_BYTES = 4_096

/** Which events changed a state since its last snapshot. */
export type Trail = {
  /** The position of that snapshot; 0: there is none yet. Where rows are added, of the last event. */
  readonly since: number
  /** Positions, rising. */
  readonly touched: readonly number[]
}

/** `state` after the last event of `touched`, as canonical JSON text; `since`: the snapshot before. */
export type Snapshot = Trail & { readonly position: number; readonly state: string }

/** What a state can be folded from: the snapshot before (undefined: its beginning), and these events. */
export type Folding = { readonly base: string | undefined; readonly touched: readonly number[] }

/** A key as of a position: its rows, if nothing has changed them since, or what to fold them from. */
export type Past = { readonly key: string } & (
  | { readonly tag: 'Settled'; readonly rows: readonly Row[] }
  | ({ readonly tag: 'Foldable' } & Folding)
  /** A snapshot is missing or is not what was written: only history knows. */
  | { readonly tag: 'Unknown' }
)

/** The last event that changed the state. */
export const lastTouch = ({ since, touched }: Trail): number => touched.at(-1) ?? since

/**
 * How to fold a state as of `position`, from what is on both sides of it: `before`, the last snapshot that is
 * not later, and `after`, the first that is later, or else the trail of the state itself. undefined: the two
 * do not follow each other.
 */
export const foldingAt = (
  position: number,
  before: Pick<Snapshot, 'position' | 'state'> | undefined,
  after: Trail,
): Folding | undefined =>
  after.since === (before?.position ?? 0)
    ? { base: before?.state, touched: after.touched.filter((one) => one <= position) }
    : undefined

/** Of which build and key a snapshot is. */
export type SnapshotOf = {
  readonly projection: string
  readonly version: number
  readonly reader: string | null
  readonly key: string
}

/** What is stored beside a snapshot: one that was altered, or is of another build, is not believed. */
export type SnapshotDigests = {
  /** Of the state. */
  readonly stateDigest: string
  /** Of everything else, and of `stateDigest`. */
  readonly digest: string
}

export const digestsOf = (of: SnapshotOf, snapshot: Snapshot): SnapshotDigests => {
  const stateDigest = sha256Hex(snapshot.state)
  return { stateDigest, digest: trailDigest(of, snapshot, stateDigest) }
}

/** The digest of a snapshot whose state need not be looked at. */
export const trailDigest = (
  { projection, version, reader, key }: SnapshotOf,
  { position, since, touched }: Omit<Snapshot, 'state'>,
  stateDigest: string,
): string =>
  sha256Hex(
    canonicalJson([projection, version, reader, key, position, since, [...touched], stateDigest]),
  )
