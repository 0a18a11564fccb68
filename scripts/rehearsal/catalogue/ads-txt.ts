/** Publishers by how their ads.txt comes, or does not. */
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { adsTxt } from '../content.ts'
import { type Asked, onNights, type Page } from '../page.ts'
import { type Publisher, publisher } from '../publisher.ts'
import { answer, bare, html, plainText, type Reply } from '../reply.ts'

const normal: Page = (asked) => plainText(textOf(asked))
const textOf = ({ seed, host }: Asked): string => adsTxt(seed, host)

/** A publisher that differs from others in nothing but its ads.txt. */
const adsSite = (host: string, about: string, adsTxt: Page): Publisher =>
  publisher({ host, about: `ads.txt: ${about}`, adsTxt })

/** Above the 5 MiB that the policy reads of an ads.txt. */
const HUGE_BYTES = 6_000_000
/** What the small gzip body unpacks to. */
const BOMB_BYTES = 64_000_000
/** Made once, when first asked for: a hundred times smaller than what it holds. */
let bomb: Buffer | undefined

const refusals: readonly Publisher[] = [
  adsSite(
    'ads-429.example',
    '429 with Retry-After: 90 on nights 2 and 3.',
    onNights(2, 3, () => bare(429, ['Retry-After', '90']), normal),
  ),
  adsSite(
    'ads-503.example',
    '503 with Retry-After: 600 on nights 2 and 3.',
    onNights(2, 3, () => bare(503, ['Retry-After', '600']), normal),
  ),
  adsSite(
    'ads-500.example',
    '500 on nights 2–6.',
    onNights(2, 6, () => bare(500), normal),
  ),
  adsSite(
    'ads-403.example',
    '403 on nights 2 and 3.',
    onNights(2, 3, () => bare(403), normal),
  ),
  adsSite('ads-410.example', '410, gone for good.', () => bare(410)),
  adsSite(
    'ads-silent.example',
    'never answered on nights 2 and 3: the client has to give up.',
    onNights(2, 3, () => ({ tag: 'silence' }), normal),
  ),
  adsSite(
    'ads-drip.example',
    'a byte at a time on nights 2 and 3, too slow to come to an end.',
    onNights(
      2,
      3,
      (asked) => ({
        tag: 'drip',
        status: 200,
        headers: [['Content-Type', 'text/plain']],
        body: Buffer.from(textOf(asked)),
      }),
      normal,
    ),
  ),
]

const typed = (type: string, body: string | Buffer): Reply =>
  answer(200, [['Content-Type', type]], body)
const coded = (coding: string, body: Buffer): Reply =>
  answer(
    200,
    [
      ['Content-Type', 'text/plain'],
      ['Content-Encoding', coding],
    ],
    body,
  )

const forms: readonly Publisher[] = [
  adsSite('ads-soft-404.example', 'a page that says “not found”, with status 200.', () =>
    html('<!doctype html><title>Not found</title><p>There is no such page here.\n'),
  ),
  adsSite('ads-html-type.example', 'a good file under Content-Type: text/html.', (asked) =>
    typed('text/html; charset=utf-8', textOf(asked)),
  ),
  adsSite('ads-no-type.example', 'a good file without Content-Type.', (asked) =>
    answer(200, [], textOf(asked)),
  ),
  adsSite('ads-gzip.example', 'Content-Encoding: gzip.', (asked) =>
    coded('gzip', gzipSync(textOf(asked))),
  ),
  adsSite('ads-brotli.example', 'Content-Encoding: br, asked for or not.', (asked) =>
    coded('br', brotliCompressSync(textOf(asked))),
  ),
  adsSite('ads-bomb.example', 'a small gzip body that unpacks to 64 MB.', () => {
    bomb ??= gzipSync(Buffer.alloc(BOMB_BYTES, 'a'))
    return coded('gzip', bomb)
  }),
  adsSite('ads-chunked.example', 'chunked.', (asked) => plainText(textOf(asked), 'chunked')),
  adsSite('ads-close.example', 'no length: the body ends when the connection does.', (asked) =>
    plainText(textOf(asked), 'close'),
  ),
  adsSite('ads-empty.example', '200 without a byte.', () => plainText('')),
  adsSite('ads-1252.example', 'windows-1252, with letters outside of ASCII.', (asked) =>
    typed(
      'text/plain; charset=windows-1252',
      Buffer.from(`# Café Zürich, données à jour\r\n${textOf(asked)}`, 'latin1'),
    ),
  ),
  adsSite('ads-huge.example', '6 MB, more than is read of it.', (asked) => {
    const text = textOf(asked)
    return plainText(text.repeat(Math.ceil(HUGE_BYTES / text.length)))
  }),
]

export const byAdsTxt: readonly Publisher[] = [...refusals, ...forms]
