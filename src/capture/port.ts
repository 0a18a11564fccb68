import type { TaskEither } from '../kernel/fp.ts'
import type { Digest } from '../kernel/digest.ts'
import type { Unavailable } from '../ledger/port.ts'
import type { FailureReason, Remote, Timing, Tls } from '../ledger/exchange.ts'
import type { HttpUrl } from '../kernel/url.ts'
import type { Header } from '../kernel/words.ts'

/** One GET, exactly as it will go out. Nothing is added to `headers` but Host and Connection. */
export type HttpRequest = {
  readonly url: HttpUrl
  readonly headers: readonly Header[]
  readonly limits: {
    /** From the start of connecting to the last byte of the body. */
    readonly totalMs: number
    readonly connectMs: number
    /** Cap on the body as it comes off the wire; what lies beyond is cut off and marked. */
    readonly bodyBytes: number
  }
}

export type HttpAnswer = {
  readonly tag: 'Answer'
  readonly status: number
  /** Header pairs in the order and case they came in; values as latin-1 text. */
  readonly headers: readonly Header[]
  /** The body with its content coding untouched. */
  readonly body: Buffer
  readonly truncated: boolean
  readonly remote: Remote | null
  readonly tls: Tls | null
  readonly timing: Timing
}

export type HttpFailure = {
  readonly tag: 'Failure'
  readonly reason: FailureReason
  /** The library's or system's own code, for people. */
  readonly code: string
  readonly remote: Remote | null
  readonly timing: Timing
}

/**
 * Sends one request and collects one answer. Never follows a redirect, never retries, never keeps
 * a cookie or a connection, always verifies TLS, refuses addresses that are not public (unless
 * mapped). Never rejects: every way a server can misbehave ends in a Failure, in time.
 */
export type Fetcher = (
  request: HttpRequest,
  signal?: AbortSignal,
) => Promise<HttpAnswer | HttpFailure>

/**
 * Where kept bodies live. `put` answers when bytes and salt are on disk; the commitment is
 * SHA-256(salt32 ‖ bytes). `get` checks the commitment: bytes that do not fit it are a breach.
 */
export type BodyStore = {
  readonly put: (bytes: Uint8Array) => TaskEither<Unavailable, Digest>
  readonly get: (commit: Digest) => TaskEither<BodyFailure, Buffer>
}

/** The salt too: for who hands a body on together with the proof that it is the one. */
export type SaltedBodies = {
  readonly getSalted: (
    commit: Digest,
  ) => TaskEither<BodyFailure, { readonly salt: Buffer; readonly bytes: Buffer }>
}
/** Forgets a body for good: its bytes and its salt are gone from the store when it answers. */
export type BodyEraser = {
  /** `absent`: it was not there; an erasure that was cut short is finished by the next one. */
  readonly erase: (commit: Digest) => TaskEither<Unavailable, 'erased' | 'absent'>
}

/** `BodyErased`: a person had it erased, and the event at `event` says so. */
export type BodyFailure =
  | Unavailable
  | { readonly tag: 'BodyMissing'; readonly commit: Digest }
  | { readonly tag: 'BodyErased'; readonly commit: Digest; readonly event: number }
  | { readonly tag: 'BodyAltered'; readonly commit: Digest }
