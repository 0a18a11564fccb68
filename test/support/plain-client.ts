/** A client as plain as it gets: one request, one connection, what comes back as it is. */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { RehearsalWeb } from '../../scripts/rehearsal/web.ts'

export type Got = {
  /**
   * `200`, `302 LOCATION…`; or why there is no whole answer: `gave up`, `gave up after 200`, `cut
   * short after 200`, `refused`, `reset`, or the code of the failure.
   */
  readonly outcome: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Buffer
}

/** The port of 127.0.0.1 that stands for the host's port 443 or 80. */
export const portFor = (web: RehearsalWeb, url: URL): number => {
  const place = `${url.hostname}:${url.protocol === 'https:' ? 443 : 80}=127.0.0.1:`
  const rule = web.resolveRules.find((candidate) => candidate.startsWith(place))
  if (rule === undefined) throw new Error(`the rehearsal web has no ${url.hostname}`)
  return Number(rule.slice(place.length))
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
}

/** When the client gives up: at a signal, or as soon as the first byte of a body has come. */
export type Patience = AbortSignal | 'first-byte'

const LONG_ENOUGH_MS = 30_000

export const get = (
  web: RehearsalWeb,
  address: string,
  patience: Patience = AbortSignal.timeout(LONG_ENOUGH_MS),
): Promise<Got> => {
  const url = new URL(address)
  const { promise, resolve } = Promise.withResolvers<Got>()
  const chunks: Buffer[] = []
  let answer: IncomingMessage | undefined
  const done = (outcome: string): void => {
    request.destroy()
    resolve({ outcome, headers: pairs(answer?.rawHeaders ?? []), body: Buffer.concat(chunks) })
  }
  const started = (): string => (answer === undefined ? '' : ` after ${answer.statusCode}`)
  const giveUp = (): void => done(`gave up${started()}`)
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(
    {
      host: '127.0.0.1',
      port: portFor(web, url),
      servername: url.hostname,
      path: url.pathname + url.search,
      headers: { Host: url.hostname, 'X-Asked-By': 'plain client' },
      ca: web.authorityPem,
      agent: false,
    },
    (response) => {
      answer = response
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if (patience === 'first-byte') giveUp()
      })
      response.on('error', () => done(`cut short${started()}`))
      response.on('end', () => done(summary(response)))
    },
  )
  if (patience !== 'first-byte') patience.addEventListener('abort', giveUp)
  request.on('error', (error: NodeJS.ErrnoException) =>
    done(WORDS[error.code ?? ''] ?? error.code ?? error.message),
  )
  request.end()
  return promise
}

const summary = (response: IncomingMessage): string => {
  const places = pairs(response.rawHeaders).filter(([name]) => name.toLowerCase() === 'location')
  return [response.statusCode, ...places.map(([, value]) => value)].join(' ')
}

const pairs = (raw: readonly string[]): readonly (readonly [string, string])[] =>
  raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []))
