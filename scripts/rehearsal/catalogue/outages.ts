/** Publishers that cannot be reached, or break off, on some nights or on all. */
import { adsTxt, homepage } from '../content.ts'
import { between, onNights, type Page } from '../page.ts'
import { allowAll, type Door, type Publisher, publisher } from '../publisher.ts'
import { bare, plainText, rawResponse } from '../reply.ts'

const doorSite = (host: string, about: string, door: (night: number) => Door): Publisher =>
  publisher({ host, about, door })

const shutOn =
  (door: Door, ...spans: readonly (readonly [from: number, to: number])[]) =>
  (night: number): Door =>
    spans.some(([from, to]) => between(night, from, to)) ? door : 'open'

const doors: readonly Publisher[] = [
  publisher({
    host: 'refused.example',
    about: 'Nobody listens: connection refused, every night.',
    listens: false,
  }),
  doorSite('reset.example', 'Every connection is reset before a byte is read.', () => 'reset'),
  doorSite(
    'silent-door.example',
    'On nights 2 and 3 connections are accepted and then nothing, not even a TLS handshake.',
    shutOn('silent', [2, 3]),
  ),
  doorSite(
    'down-four.example',
    'Resets every connection on nights 2–5, works again from night 6: too late (PR7).',
    shutOn('reset', [2, 5]),
  ),
  doorSite(
    'down-three.example',
    'Resets every connection on nights 2–4, works again from night 5: in time (PR7).',
    shutOn('reset', [2, 4]),
  ),
  doorSite(
    'flapping.example',
    'Resets every connection on nights 2–4 and 6–8, works in between: never four in a row (PR7).',
    shutOn('reset', [2, 4], [6, 8]),
  ),
]

const certificates: readonly Publisher[] = [
  publisher({
    host: 'tls-wrong-name.example',
    about: 'TLS: its certificate is for somebody else, every night.',
    certificate: () => 'wrong-name',
  }),
  publisher({
    host: 'tls-expired.example',
    about: 'TLS: its certificate has expired, every night.',
    certificate: () => 'expired',
  }),
  publisher({
    host: 'tls-renewed.example',
    about: 'TLS: its certificate has expired on nights 2 and 3 and is then renewed.',
    certificate: (night) => (between(night, 2, 3) ? 'expired' : 'valid'),
  }),
]

const normalAdsTxt: Page = ({ seed, host }) => plainText(adsTxt(seed, host))
const busyOn = (from: number, to: number, otherwise: Page): Page =>
  onNights(from, to, () => bare(503), otherwise)

/** A head that promises more than comes. */
const cutShort: Page = ({ seed, host }) =>
  rawResponse(
    200,
    [
      ['Content-Type', 'text/plain'],
      ['Content-Length', '50000'],
    ],
    adsTxt(seed, host),
  )

const halfway: readonly Publisher[] = [
  publisher({
    host: 'busy-six.example',
    about: 'Everything is 503 on nights 2–7 (PR7 counts server errors too).',
    robots: busyOn(2, 7, allowAll),
    adsTxt: busyOn(2, 7, normalAdsTxt),
    home: busyOn(2, 7, homepage()),
  }),
  publisher({
    host: 'cut-short.example',
    about: 'ads.txt: Content-Length promises 50,000 bytes, the connection ends long before.',
    adsTxt: cutShort,
  }),
  publisher({
    host: 'reset-midway.example',
    about: 'ads.txt: the connection is reset when the request has been read.',
    adsTxt: () => ({ tag: 'reset' }),
  }),
  publisher({
    host: 'not-http.example',
    about: 'ads.txt: the reply is no HTTP at all.',
    adsTxt: () => ({
      tag: 'raw',
      status: null,
      bytes: Buffer.from('220 mail.not-http.example ESMTP ready\r\n'),
    }),
  }),
  publisher({
    host: 'huge-head.example',
    about: 'ads.txt: 200 with 1 MB of headers.',
    adsTxt: () =>
      rawResponse(
        200,
        Array.from({ length: 1_000 }, (_, index) => [`X-Filler-${index}`, 'x'.repeat(1_000)]),
        'never reached\n',
      ),
  }),
]

export const outages: readonly Publisher[] = [...doors, ...certificates, ...halfway]
