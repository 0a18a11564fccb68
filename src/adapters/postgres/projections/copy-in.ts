/** COPY FROM STDIN with its data sent right behind it, without waiting to be asked for them. */
import type { ClientBase, Connection, Submittable } from 'pg'

/** @types/pg leaves out what node-pg has for copying. */
type CopyingConnection = Connection & {
  readonly sendCopyFromChunk: (chunk: Buffer) => void
  readonly endCopyFrom: () => void
}

/** What node-pg calls while this is the statement of a connection. */
type CopyIn = Submittable & {
  readonly handleCopyInResponse: () => void
  readonly handleCommandComplete: () => void
  readonly handleReadyForQuery: () => void
  readonly handleError: (error: Error) => void
}

/** A table with its columns, and lines in the text format of COPY. */
export type Copied = { readonly into: string; readonly bytes: readonly Buffer[] }

/**
 * Copies into one table after the other, in one message and one answer: each question to the server
 * waits until folding has a pause. The server reads the data when it comes to them, and throws away
 * what follows an error (PostgreSQL, Message Flow: COPY Operations).
 */
export const copyIn = (client: ClientBase, copies: readonly Copied[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const statements = copies.map(({ into }) => `copy ${into} from stdin`)
    const query: CopyIn = {
      submit: (connection) => {
        // A connection of node-pg's own making, which has them.
        const copying = connection as CopyingConnection
        copying.query(statements.join('; '))
        for (const { bytes } of copies) {
          for (const chunk of bytes) copying.sendCopyFromChunk(chunk)
          copying.endCopyFrom()
        }
      },
      handleCopyInResponse: () => undefined,
      handleCommandComplete: () => undefined,
      handleReadyForQuery: resolve,
      handleError: reject,
    }
    client.query(query)
  })
