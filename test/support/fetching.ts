/** One GET through the real fetcher against a server on loopback, under an invented host name. */
import { httpFetcher } from '../../src/adapters/http/fetcher.ts'
import type { HttpAnswer, HttpFailure, HttpRequest } from '../../src/capture/port.ts'
import { E } from '../../src/kernel/fp.ts'
import { type HttpUrl, parseHttpUrl } from '../../src/kernel/url.ts'

export const url = (text: string): HttpUrl => {
  const parsed = parseHttpUrl(text)
  if (E.isLeft(parsed)) throw new Error(`${parsed.left}: ${text}`)
  return parsed.right
}

export type Asking = {
  readonly address?: string
  readonly headers?: HttpRequest['headers']
  readonly limits?: Partial<HttpRequest['limits']>
  readonly authorities?: readonly string[]
  readonly signal?: AbortSignal
}

export const ask = (port: number, asking: Asking = {}): Promise<HttpAnswer | HttpFailure> => {
  const fetch = httpFetcher({
    resolve: new Map([['*:*', { address: '127.0.0.1', port }]]),
    authorities: asking.authorities ?? [],
  })
  const request: HttpRequest = {
    url: url(asking.address ?? 'http://shop.example/robots.txt'),
    headers: asking.headers ?? [['User-Agent', 'ExampleBot/1.0']],
    limits: { totalMs: 30_000, connectMs: 30_000, bodyBytes: 1_000_000, ...asking.limits },
  }
  return fetch(request, asking.signal)
}

/** The answer, or a test failure that says what came instead. */
export const answered = (outcome: HttpAnswer | HttpFailure): HttpAnswer => {
  if (outcome.tag === 'Answer') return outcome
  throw new Error(`expected an answer, got ${outcome.reason} (${outcome.code})`)
}

export const failed = (outcome: HttpAnswer | HttpFailure): HttpFailure => {
  if (outcome.tag === 'Failure') return outcome
  throw new Error(`expected a failure, got status ${outcome.status}`)
}
