/** Heads on their way to witnesses and authorities: the same exchange as the crawl's, by POST. */
import { literalAddressOf } from '../../capture/address.ts'
import type { HttpAnswer, HttpFailure } from '../../capture/port.ts'
import type { HttpUrl } from '../../kernel/url.ts'
import type { Header } from '../../kernel/words.ts'
import type { Post } from '../../ledger/tlog/port.ts'
import { publicLookup } from './connection.ts'
import { Exchange } from './exchange.ts'
import { type Endpoint, portOfUrl } from './resolve.ts'
import { secureContextFor } from './secure-context.ts'

const LIMITS = { totalMs: 10_000, connectMs: 5_000, bodyBytes: 65_535 }

/** A person named this very address: that is as good as mapping it by hand. */
const namedAddress = (url: HttpUrl): Endpoint | undefined => {
  const address = literalAddressOf(url)
  return address === undefined ? undefined : { address, port: portOfUrl(new URL(url)) }
}

/**
 * TLS is verified always, `authorities` (PEM) trusted beside the built-in ones; a name is taken only
 * to public addresses; nothing is followed, and an answer has 10 seconds and 65,535 bytes.
 */
export const httpPoster = (authorities: readonly string[]): Post => {
  const lookup = publicLookup()
  let trust: ReturnType<typeof secureContextFor> | undefined
  return async (url, { type, body }, signal) => {
    const endpoint = namedAddress(url)
    // On first use: most commands ask no witness.
    const secureContext = (trust ??= secureContextFor(authorities))
    const headers: readonly Header[] = [
      ['User-Agent', 'crawl-ledger'],
      ['Content-Type', type],
    ]
    const outgoing = { url, headers, limits: LIMITS, method: 'POST', body } as const
    const outcome = await new Promise<HttpAnswer | HttpFailure>((resolve) => {
      new Exchange(outgoing, { url, endpoint, lookup, secureContext }, resolve).start(signal)
    })
    if (outcome.tag === 'Answer') return outcome
    const { reason, code } = outcome
    const isLate = reason === 'interrupted' || reason === 'timeout'
    const why = isLate ? 'it did not answer in time' : `it did not answer: ${reason} (${code})`
    return { tag: 'Failure', because: why }
  }
}
