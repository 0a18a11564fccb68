import type { Instant } from '../../src/kernel/instant.ts'
import type { Reply } from './reply.ts'

/** A request as a server sees it, and what the server may make its reply depend on. */
export type Asked = {
  readonly host: string
  /** Path and query as received. */
  readonly path: string
  /** Nights count from 1. */
  readonly night: number
  readonly now: Instant
  readonly seed: number
}

/** What a server does with a request: the same request on the same night gets the same reply. */
export type Page = (asked: Asked) => Reply

export const between = (night: number, from: number, to: number): boolean =>
  night >= from && night <= to

/** `then` on the nights from `from` to `to`, both included, `otherwise` on all others. */
export const onNights =
  (from: number, to: number, then: Page, otherwise: Page): Page =>
  (asked) =>
    (between(asked.night, from, to) ? then : otherwise)(asked)
