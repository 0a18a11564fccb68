import { present } from '../../kernel/assert.ts'
import type { Instant } from '../../kernel/instant.ts'

type Wake = () => void

/** Who sleeps until when. Adding and taking cost the logarithm of the number of distinct moments. */
export type Sleepers = {
  /** Answers a function that takes the sleeper out again. */
  readonly add: (moment: Instant, wake: Wake) => () => void
  /** Takes out everybody due at the earliest moment, in the order they were added. */
  readonly takeEarliest: () => { moment: Instant; wakes: readonly Wake[] } | undefined
}

export const sleepers = (): Sleepers => {
  const due = new Map<Instant, Set<{ readonly wake: Wake }>>()
  const moments: Heap = []

  const setOf = (moment: Instant): Set<{ readonly wake: Wake }> => {
    const known = due.get(moment)
    if (known !== undefined) return known
    const fresh = new Set<{ readonly wake: Wake }>()
    due.set(moment, fresh)
    push(moments, moment)
    return fresh
  }

  return {
    add: (moment, wake) => {
      const here = setOf(moment)
      const sleeper = { wake }
      here.add(sleeper)
      return () => void here.delete(sleeper)
    },
    takeEarliest: () => {
      for (let moment = pop(moments); moment !== undefined; moment = pop(moments)) {
        const wakes = [...present(due.get(moment), 'a moment without its set')].map((s) => s.wake)
        due.delete(moment)
        // Everybody due then may have been woken before: nobody sleeps until that moment now.
        if (wakes.length > 0) return { moment, wakes }
      }
      return undefined
    },
  }
}

/** A binary heap: no item is smaller than its parent at (index - 1) / 2. */
type Heap = Instant[]

const at = (heap: Heap, index: number): Instant => present(heap[index], 'outside of the heap')

const swap = (heap: Heap, a: number, b: number): void => {
  const held = at(heap, a)
  heap[a] = at(heap, b)
  heap[b] = held
}

const push = (heap: Heap, item: Instant): void => {
  heap.push(item)
  for (let child = heap.length - 1; child > 0;) {
    const parent = (child - 1) >> 1
    if (at(heap, parent) <= at(heap, child)) return
    swap(heap, parent, child)
    child = parent
  }
}

const smallerChild = (heap: Heap, parent: number): number => {
  const left = 2 * parent + 1
  return left + 1 < heap.length && at(heap, left + 1) < at(heap, left) ? left + 1 : left
}

/** Takes the smallest item out. */
const pop = (heap: Heap): Instant | undefined => {
  const [smallest] = heap
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return smallest
  heap[0] = last
  let parent = 0
  let child = smallerChild(heap, parent)
  while (child < heap.length && at(heap, child) < at(heap, parent)) {
    swap(heap, parent, child)
    parent = child
    child = smallerChild(heap, parent)
  }
  return smallest
}
