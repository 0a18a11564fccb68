/** Publishers by what is at `/`. */
import { gzipSync } from 'node:zlib'
import { homepage, pageText } from '../content.ts'
import { onNights, type Page } from '../page.ts'
import { type Publisher, publisher } from '../publisher.ts'
import { answer, bare, html, redirect } from '../reply.ts'

/** A publisher that differs from others in nothing but its homepage. */
const homeSite = (host: string, about: string, home: Page, elsewhere?: Page): Publisher =>
  publisher({
    host,
    about: `Homepage: ${about}`,
    home,
    ...(elsewhere === undefined ? {} : { elsewhere }),
  })

const CAPTCHA = `<!doctype html><html><head><title>Are you human?</title></head><body>
<form id="challenge-form" action="/verify"><div class="g-recaptcha" data-sitekey="rehearsal"></div></form>
<p>Please complete the CAPTCHA to continue.</p></body></html>
`

const moved: readonly Publisher[] = [
  homeSite(
    'home-www.example',
    'redirects to the root of www.home-www.example, the same site.',
    () => redirect(301, 'https://www.home-www.example/'),
  ),
  publisher({
    host: 'www.home-www.example',
    about: 'No list names it: it holds the homepage of home-www.example.',
    listed: false,
    home: homepage('ezoic'),
  }),
  publisher({
    host: 'home-www-blocked.example',
    about: 'Homepage: redirects to www, whose own robots.txt forbids it.',
    home: () => redirect(301, 'https://www.home-www-blocked.example/'),
  }),
  publisher({
    host: 'www.home-www-blocked.example',
    about: 'No list names it: robots.txt says Disallow: /.',
    listed: false,
    robots: () => answer(200, [['Content-Type', 'text/plain']], 'User-agent: *\nDisallow: /\n'),
  }),
  homeSite(
    'home-en.example',
    'redirects to /en/, which is not the root and must not be asked.',
    () => redirect(302, '/en/'),
    ({ path }) => (path === '/en/' ? html('<!doctype html><title>English</title>\n') : bare(404)),
  ),
  homeSite('home-away.example', 'redirects to another site.', () =>
    redirect(302, 'https://third-party.example/'),
  ),
  homeSite('home-refresh.example', 'a page that sends the browser on to /en/ by itself.', (asked) =>
    html(
      pageText(asked.seed, asked.host, 'mediavine').replace(
        '<head>',
        '<head><meta http-equiv="refresh" content="0; url=/en/">',
      ),
    ),
  ),
]

const refused: readonly Publisher[] = [
  homeSite('home-captcha.example', 'a CAPTCHA page with status 200.', () => html(CAPTCHA)),
  homeSite('home-captcha-403.example', 'a CAPTCHA page with status 403.', () => html(CAPTCHA, 403)),
  homeSite(
    'home-403.example',
    '403 on nights 2–5.',
    onNights(2, 5, () => bare(403), homepage()),
  ),
  homeSite(
    'home-429.example',
    '429 with Retry-After: 172800 (two days) on night 2.',
    onNights(2, 2, () => bare(429, ['Retry-After', '172800']), homepage()),
  ),
  homeSite(
    'home-500.example',
    '500 on nights 2–6.',
    onNights(2, 6, () => bare(500), homepage()),
  ),
]

/** Above the 5 MiB that the policy reads of a homepage. */
const HUGE_BYTES = 6_000_000

const bodies: readonly Publisher[] = [
  homeSite('home-gzip.example', 'Content-Encoding: gzip.', ({ seed, host }) =>
    answer(
      200,
      [
        ['Content-Type', 'text/html; charset=utf-8'],
        ['Content-Encoding', 'gzip'],
      ],
      gzipSync(pageText(seed, host, 'freestar')),
    ),
  ),
  homeSite('home-chunked.example', 'chunked.', ({ seed, host }) =>
    answer(200, [['Content-Type', 'text/html']], pageText(seed, host, 'monumetric'), 'chunked'),
  ),
  homeSite('home-huge.example', '6 MB, more than is read of it.', ({ seed, host }) =>
    html(pageText(seed, host, 'raptive') + `<p>${'filler '.repeat(HUGE_BYTES / 7)}</p>\n`),
  ),
  homeSite('home-empty.example', '200 without a byte.', () => html('')),
]

export const byHomepage: readonly Publisher[] = [...moved, ...refused, ...bodies]
