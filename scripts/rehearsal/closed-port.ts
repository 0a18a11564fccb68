import { connect, createServer } from 'node:net'
import { once } from 'node:events'
import { portOf } from './port.ts'

export type ClosedPort = { readonly port: number; readonly release: () => Promise<void> }

/**
 * A port of 127.0.0.1 on which nobody listens and, while it is held, nobody can begin to: the near
 * end of a connection that stays open. Connecting to it is refused.
 */
export const holdClosedPort = async (): Promise<ClosedPort> => {
  const far = createServer()
  far.listen(0, '127.0.0.1')
  await once(far, 'listening')
  const near = connect(portOf(far), '127.0.0.1')
  await once(near, 'connect')
  return {
    port: near.localPort ?? 0,
    release: async () => {
      near.destroy()
      far.close()
      await once(far, 'close')
    },
  }
}
