/**
 * The one door to fp-ts. Everything the product uses of it is listed here and nowhere else, so that
 * wanting one more name is a question in a review, and leaving fp-ts means rewriting this file.
 */
import * as Either_ from 'fp-ts/lib/Either.js'
import * as TaskEither_ from 'fp-ts/lib/TaskEither.js'

export type { Either } from 'fp-ts/lib/Either.js'
export type { TaskEither } from 'fp-ts/lib/TaskEither.js'

export const E = {
  left: Either_.left,
  right: Either_.right,
  isLeft: Either_.isLeft,
  isRight: Either_.isRight,
  map: Either_.map,
  mapLeft: Either_.mapLeft,
  chain: Either_.chain,
  match: Either_.match,
}

export const TE = {
  left: TaskEither_.left,
  right: TaskEither_.right,
  map: TaskEither_.map,
  mapLeft: TaskEither_.mapLeft,
  chain: TaskEither_.chain,
  tryCatch: TaskEither_.tryCatch,
}
