import { integer, t } from './codec.ts'
import { assert } from './assert.ts'

interface PositionBrand {
  readonly Position: unique symbol
}
/** 1-based place of an event in the whole ledger, gap-free; the log index is position − 1. */
export type Position = number & t.Branded<number, PositionBrand>

export const Position: t.Type<Position, number> = t.brand(
  integer(1),
  (n): n is Position => n >= 1,
  'Position',
)

export const position = (n: number): Position => {
  assert(Position.is(n), `not a position: ${n}`)
  return n
}
