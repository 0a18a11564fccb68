/** A RequestSent as a night records it, some 700 bytes as an entry. */
import { position } from '../../src/kernel/position.ts'
import { siteOfHost } from '../../src/kernel/site.ts'
import { originOf, parseHttpUrl, urlAt } from '../../src/kernel/url.ts'
import { E } from '../../src/kernel/fp.ts'
import type { EventOf } from '../../src/ledger/event.ts'

export const requestSentTo = (host: string): EventOf<'RequestSent'> => {
  const home = parseHttpUrl(`https://${host}/`)
  if (E.isLeft(home)) throw new Error(`not a host: ${host}`)
  const url = urlAt(originOf(home.right), '/ads.txt')
  return {
    type: 'RequestSent',
    v: 2,
    programme: 'plain-reckoner',
    subject: siteOfHost(host),
    n: 4_711,
    url,
    target: url,
    purpose: 'ads-txt',
    night: '2026-11-30',
    attempt: 1,
    source: null,
    hop: 0,
    via: null,
    headers: [
      ['Host', host],
      ['User-Agent', 'PlainReckonerBot/1.0 (+https://reckoner.example/bot)'],
      ['Accept', 'text/plain, */*;q=0.1'],
      ['Accept-Encoding', 'gzip, br'],
      ['If-None-Match', '"5f0c2a-1b3"'],
      ['If-Modified-Since', 'Sun, 29 Nov 2026 02:31:00 GMT'],
    ],
    fence: 12,
    decision: position(123_456),
  }
}
