/**
 * One exchange: one connection, one request, one outcome. Whatever the server does, `settle` runs
 * exactly once, in time; everything that comes later finds it settled and is ignored.
 *
 * undici's `dispatch` is used bare: its `request` and `fetch` hand out streams, and a stream that is
 * paused when the server closes loses the body (notes on the traps: docs/decisions/0030).
 */
import type net from 'node:net'
import { Client, type Dispatcher } from 'undici'
import type { HttpAnswer, HttpFailure, HttpRequest } from '../../capture/port.ts'
import { pathOf } from '../../kernel/url.ts'
import type { Header } from '../../kernel/words.ts'
import type { Remote, Timing, Tls } from '../../ledger/exchange.ts'
import { BodyCollector } from './body-collector.ts'
import { openConnection, type Opened, type Route } from './connection.ts'
import { causeOf, ExchangeError, type Reached } from './failure.ts'

/** Names and values of one response head, in bytes. Real sites pass Node's default of 16 KiB. */
const HEAD_BYTES_MAX = 65_536
/** 1xx responses before the real one; nobody sends more than one or two in earnest. */
const INTERIM_MAX = 16

type Outcome = HttpAnswer | HttpFailure

/** What goes out: a request of the crawl, or a head on its way to a witness. */
export type Outgoing = HttpRequest & {
  readonly method: 'GET' | 'POST'
  readonly body: Buffer | null
}

export class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: Outgoing
  readonly #route: Route
  readonly #resolve: (outcome: Outcome) => void
  readonly #started = performance.now()
  readonly #body: BodyCollector
  readonly #timers: NodeJS.Timeout[] = []
  #settled = false
  #reached: Reached = 'nothing'
  #client: Client | null = null
  #socket: net.Socket | null = null
  #socketError: Error | null = null
  #remote: Remote | null = null
  #tls: Tls | null = null
  #connectMs: number | null = null
  #firstByteMs: number | null = null
  #interim = 0
  #status = 0
  #headers: readonly Header[] = []

  constructor(request: Outgoing, route: Route, resolve: (outcome: Outcome) => void) {
    this.#request = request
    this.#route = route
    this.#resolve = resolve
    this.#body = new BodyCollector(request.limits.bodyBytes)
  }

  start(signal: AbortSignal | undefined): void {
    if (signal?.aborted === true) return this.#fail(new ExchangeError('INTERRUPTED'))
    const interrupt = (): void => this.#fail(new ExchangeError('INTERRUPTED'))
    signal?.addEventListener('abort', interrupt, { once: true })
    this.#cleanUp = () => signal?.removeEventListener('abort', interrupt)
    this.#startTimers()
    const { url, headers, method, body } = this.#request
    this.#client = new Client(new URL(url).origin, {
      connect: this.#connect,
      allowH2: false,
      pipelining: 0,
      maxHeaderSize: HEAD_BYTES_MAX,
      // undici's time limits run between two pieces, not in total: ours take their place.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    this.#client.dispatch({ method, path: pathOf(url), headers: headers.flat(), body }, this)
  }

  #cleanUp = (): void => undefined

  #startTimers(): void {
    const { connectMs, totalMs } = this.#request.limits
    const total = setTimeout(() => this.#fail(new ExchangeError('TOTAL_TIMEOUT')), totalMs)
    const connecting = setTimeout(() => {
      if (this.#reached === 'nothing') this.#fail(new ExchangeError('CONNECT_TIMEOUT'))
    }, connectMs)
    this.#timers.push(total, connecting)
  }

  /** undici asks for a second connection when the first fails before the request is out: never. */
  readonly #connect = (
    _options: unknown,
    callback: (...args: [null, net.Socket] | [Error, null]) => void,
  ): void => {
    if (this.#socket !== null || this.#settled) {
      this.#fail(this.#socketError ?? new ExchangeError('CONNECTION_USED'))
      return callback(new ExchangeError('CONNECTION_USED'), null)
    }
    const opened = (connection: Opened): void => {
      this.#opened(connection)
      callback(null, connection.socket)
    }
    const socket = openConnection(this.#route, opened, (error) => {
      this.#socketError ??= error
      if (this.#reached === 'nothing') this.#fail(error)
    })
    this.#socket = socket ?? null
  }

  #opened({ remote, tls }: Opened): void {
    this.#reached = 'connected'
    this.#connectMs = this.#elapsed()
    this.#remote = remote
    this.#tls = tls
  }

  onRequestStart(): void {
    // undici insists on the method; there is nothing to do before the response begins.
  }

  onResponseStarted(): void {
    this.#firstByteMs ??= this.#elapsed()
    if (this.#reached === 'connected') this.#reached = 'response-begun'
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200) return this.#takeInterim(controller, status)
    this.#reached = 'head-read'
    this.#status = status
    this.#headers = headersOf(controller)
  }

  #takeInterim(controller: Dispatcher.DispatchController, status: number): void {
    this.#interim += 1
    if (status < 100) this.#stop(controller, new ExchangeError('STATUS_OUT_OF_RANGE'))
    else if (this.#interim > INTERIM_MAX)
      this.#stop(controller, new ExchangeError('TOO_MANY_INTERIM_RESPONSES'))
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled || this.#body.take(chunk)) return
    this.#answer(true)
    controller.abort(new ExchangeError('INTERRUPTED'))
  }

  onResponseEnd(): void {
    // A reset that undici takes for the end of a body without a length: there may have been more.
    if (this.#socketError !== null) this.#fail(new ExchangeError('RESET_IN_BODY'))
    else this.#answer(false)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error)
  }

  #stop(controller: Dispatcher.DispatchController, error: ExchangeError): void {
    this.#fail(error)
    controller.abort(error)
  }

  #answer(truncated: boolean): void {
    if (this.#settled) return
    this.#settle({
      tag: 'Answer',
      status: this.#status,
      headers: this.#headers,
      body: this.#body.whole(),
      truncated,
      remote: this.#remote,
      tls: this.#tls,
      timing: this.#timing(),
    })
  }

  #fail(error: unknown): void {
    if (this.#settled) return
    const { reason, code } = causeOf(error, this.#reached)
    this.#settle({ tag: 'Failure', reason, code, remote: this.#remote, timing: this.#timing() })
  }

  #settle(outcome: Outcome): void {
    this.#settled = true
    for (const timer of this.#timers) clearTimeout(timer)
    this.#cleanUp()
    // Not at once: this may run inside undici's parser, on the socket that is to be destroyed.
    queueMicrotask(() => {
      this.#socket?.destroy()
      this.#client?.destroy(null, () => undefined)
    })
    this.#resolve(outcome)
  }

  #timing(): Timing {
    return {
      connectMs: this.#connectMs,
      firstByteMs: this.#firstByteMs,
      totalMs: this.#elapsed(),
    }
  }

  /** Whole milliseconds since the start, by a clock that nobody sets. */
  #elapsed(): number {
    return Math.round(performance.now() - this.#started)
  }
}

/**
 * RFC 9110 §5.5: white space after a value is no part of it, and the parser leaves it on. Only space
 * and tab: `trimEnd` would also take 0xA0, the last byte of an `à` in UTF-8. Not a regular
 * expression: a value of 60,000 spaces would keep it busy for seconds.
 */
const withoutTrailingSpace = (value: string): string => {
  let end = value.length
  while (end > 0 && (value[end - 1] === ' ' || value[end - 1] === '\t')) end -= 1
  return value.slice(0, end)
}

/** undici's raw list: name, value, name, value, as bytes, in the order and case they came in. */
const headersOf = ({ rawHeaders }: Dispatcher.DispatchController): readonly Header[] => {
  if (!Array.isArray(rawHeaders)) return []
  const texts = rawHeaders.map((bytes: Buffer | string) => bytes.toString('latin1'))
  return texts.flatMap((name, at): Header[] =>
    at % 2 === 0 ? [[name, withoutTrailingSpace(texts[at + 1] ?? '')]] : [],
  )
}
