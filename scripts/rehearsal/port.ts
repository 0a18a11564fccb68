import type { Server } from 'node:net'
import { present } from '../../src/kernel/assert.ts'

/** The port the system chose for a server that listens. */
export const portOf = (server: Server): number => {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return present(port, 'the server does not listen')
}
