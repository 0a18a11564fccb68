import { AssertionError } from 'node:assert'
import { E, type Either } from '../../src/kernel/fp.ts'

/** The value of a `Right`; a `Left` fails the test and shows what it holds. */
export const right = <L, R>(either: Either<L, R>): R => {
  if (E.isRight(either)) return either.right
  throw new AssertionError({ message: `a Left: ${JSON.stringify(either.left)}` })
}

/** The refusal in a `Left`; a `Right` fails the test. */
export const left = <L, R>(either: Either<L, R>): L => {
  if (E.isLeft(either)) return either.left
  throw new AssertionError({ message: `a Right: ${JSON.stringify(either.right)}` })
}
