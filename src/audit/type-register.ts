import { EVENTS, type EventType } from '../ledger/event.ts'

/** The type of the event at each position seen: one byte a position, so a citation can be checked. */
export type TypeRegister = {
  readonly add: (position: number, type: EventType) => void
  readonly at: (position: number) => EventType | undefined
}

const NUMBER_OF = new Map<EventType, number>(EVENTS.map(({ type }, i) => [type, i + 1]))
const FIRST_SIZE = 4_096

export const typeRegister = (): TypeRegister => {
  let types = new Uint8Array(FIRST_SIZE)
  return {
    add: (position, type) => {
      if (position >= types.length) {
        const larger = new Uint8Array(Math.max(types.length * 2, position + 1))
        larger.set(types)
        types = larger
      }
      types[position] = NUMBER_OF.get(type) ?? 0
    },
    at: (position) => EVENTS[(types[position] ?? 0) - 1]?.type,
  }
}
