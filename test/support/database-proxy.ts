/** Stands between a program and its PostgreSQL, and loses what it is told to lose. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The socket of a server, as connection settings name it. */
export type SocketSettings = {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
}

export type Loss =
  /** The next statement is passed on, its answer is lost and the connection with it. */
  | 'answer'
  /** The next statement does not arrive; the connection is lost. */
  | 'statement'
  /** The next statement is passed on and the connection is lost at once, towards the client only. */
  | 'client'
  /** As `client`, and nobody can connect any more. */
  | 'everything'

export type DatabaseProxy = {
  readonly settings: SocketSettings
  /** What to lose with the next statement that holds `word`; once. */
  readonly lose: (loss: Loss, word: string) => void
  /** How many were lost. */
  readonly losses: () => number
  readonly close: () => Promise<void>
}

export const databaseProxy = async (target: SocketSettings): Promise<DatabaseProxy> => {
  const directory = await mkdtemp(join(tmpdir(), 'proxy-'))
  const sockets = new Set<Socket>()
  let armed: { readonly loss: Loss; readonly word: string } | undefined
  let closed = false
  let losses = 0

  const server = createServer((client) => {
    if (closed) return void client.destroy()
    const upstream = connect(join(target.host, `.s.PGSQL.${target.port}`))
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => sockets.delete(socket))
    }
    let losing = false
    client.on('data', (chunk) => {
      if (armed === undefined || !chunk.includes(armed.word)) return void upstream.write(chunk)
      const { loss } = armed
      armed = undefined
      losses += 1
      closed = loss === 'everything'
      if (loss !== 'statement') upstream.write(chunk)
      if (loss === 'answer') losing = true
      else client.destroy()
    })
    upstream.on('data', (chunk) => {
      if (losing) client.destroy()
      else if (!client.destroyed) client.write(chunk)
    })
    upstream.on('close', () => client.destroy())
    // The server's side stays open after a loss: it does not know that nobody listens.
    client.on('end', () => upstream.end())
  })
  server.listen(join(directory, `.s.PGSQL.${target.port}`))
  await once(server, 'listening')
  return {
    settings: { ...target, host: directory },
    lose: (loss, word) => {
      armed = { loss, word }
    },
    losses: () => losses,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
