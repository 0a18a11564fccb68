import type { Position } from '../kernel/position.ts'
import type { HttpUrl } from '../kernel/url.ts'

/** The way that led to this hop: all addresses so far (this one last), and the last redirect. */
export type Trail = {
  readonly addresses: readonly HttpUrl[]
  readonly redirects: readonly number[]
  readonly via: Position | null
}
