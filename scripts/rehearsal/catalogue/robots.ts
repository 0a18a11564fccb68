/** Publishers by what their robots.txt says, or what becomes of asking for it. */
import { onNights, type Page } from '../page.ts'
import { allowAll, type Publisher, publisher } from '../publisher.ts'
import { bare, html, httpDate, plainText, redirect } from '../reply.ts'

const rules =
  (...lines: readonly string[]): Page =>
  () =>
    plainText(`${lines.join('\n')}\n`)

/** A publisher that differs from others in nothing but its robots.txt. */
const robotsSite = (host: string, about: string, robots: Page): Publisher =>
  publisher({ host, about: `robots.txt: ${about}`, robots })

const crawlDelay = (seconds: number, about: string): Publisher =>
  robotsSite(
    `crawl-delay-${seconds}.example`,
    `Crawl-delay: ${seconds} for everybody. ${about}`,
    rules('User-agent: *', `Crawl-delay: ${seconds}`, 'Disallow: /private/'),
  )

const DAY_MS = 86_400_000
/** Above the 2 MiB that the policy reads of a robots.txt. */
const HUGE_BYTES = 2_500_000

const huge = (): string => {
  const line = `# ${'x'.repeat(97)}\n`
  const filler = line.repeat(Math.ceil(HUGE_BYTES / line.length))
  return `User-agent: *\nDisallow: /private/\n${filler}Disallow: /\n`
}

const spoken: readonly Publisher[] = [
  robotsSite(
    'blocks-us.example',
    'a group for PlainReckonerBot says Disallow: /, everybody else may.',
    rules('User-agent: *', 'Disallow:', '', 'User-agent: PlainReckonerBot', 'Disallow: /'),
  ),
  robotsSite(
    'welcomes-us.example',
    'Disallow: / for everybody, but a group for PlainReckonerBot allows everything.',
    rules('User-agent: *', 'Disallow: /', '', 'User-agent: plainreckonerbot', 'Disallow:'),
  ),
  robotsSite(
    'blocks-all.example',
    'Disallow: / for everybody.',
    rules('User-agent: *', 'Disallow: /'),
  ),
  robotsSite(
    'blocks-root.example',
    'Disallow: /$ — the homepage alone.',
    rules('User-agent: *', 'Disallow: /$'),
  ),
  robotsSite(
    'blocks-ads.example',
    'Disallow: /ads — hides ads.txt, leaves the homepage.',
    rules('User-agent: *', 'Disallow: /ads'),
  ),
  crawlDelay(5, 'As long as the programme waits anyway.'),
  crawlDelay(30, 'The longest the programme waits.'),
  crawlDelay(31, 'More than it waits: nothing after robots.txt.'),
  crawlDelay(60, 'More than it waits: nothing after robots.txt.'),
  robotsSite('robots-html.example', '200, but an HTML page: no rules in it.', () =>
    html('<!doctype html><title>Welcome</title>\n<p>User-agent: nobody\n'),
  ),
  robotsSite(
    'robots-huge.example',
    '2.5 MB, more than is read of it; Disallow: / stands beyond the limit.',
    () => plainText(huge()),
  ),
]

const failing: readonly Publisher[] = [
  robotsSite('robots-403.example', '403, which allows everything (RFC 9309 §2.3.1.3).', () =>
    bare(403),
  ),
  robotsSite(
    'robots-429.example',
    '429 without Retry-After on nights 2 and 3.',
    onNights(2, 3, () => bare(429), allowAll),
  ),
  robotsSite(
    'robots-429-seconds.example',
    '429 with Retry-After: 120 on nights 2 and 3.',
    onNights(2, 3, () => bare(429, ['Retry-After', '120']), allowAll),
  ),
  robotsSite(
    'robots-429-date.example',
    '429 with Retry-After as an HTTP-date six hours ahead on night 2.',
    onNights(2, 2, ({ now }) => bare(429, ['Retry-After', httpDate(now + DAY_MS / 4)]), allowAll),
  ),
  robotsSite(
    'robots-429-days.example',
    '429 with Retry-After: 172800 (two days) on night 2. It must not be asked on night 3.',
    onNights(2, 2, () => bare(429, ['Retry-After', '172800']), allowAll),
  ),
  robotsSite('robots-500.example', '500 every night.', () => bare(500)),
  robotsSite(
    'robots-503.example',
    '503 without Retry-After on nights 2–4.',
    onNights(2, 4, () => bare(503), allowAll),
  ),
  robotsSite(
    'robots-503-later.example',
    '503 with Retry-After: 3600 on nights 2–4.',
    onNights(2, 4, () => bare(503, ['Retry-After', '3600']), allowAll),
  ),
  robotsSite(
    'robots-silent.example',
    'never answered on nights 2 and 3: the client has to give up.',
    onNights(2, 3, () => ({ tag: 'silence' }), allowAll),
  ),
  robotsSite(
    'robots-reset.example',
    'the connection is reset on nights 2 and 3.',
    onNights(2, 3, () => ({ tag: 'reset' }), allowAll),
  ),
]

/** /robots.txt → /robots-1.txt → … → /robots-N.txt, which holds the rules. */
const robotsHops = (host: string, hops: number, about: string): Publisher => {
  const next = (path: string): string => {
    const hop = path === '/robots.txt' ? 0 : Number(/^\/robots-(\d+)\.txt$/.exec(path)?.[1])
    return `/robots-${hop + 1}.txt`
  }
  const walk: Page = ({ path }) => {
    if (path === `/robots-${hops}.txt`) return plainText('User-agent: *\nDisallow: /\n')
    return /^\/robots(-\d+)?\.txt$/.test(path) ? redirect(302, next(path)) : bare(404)
  }
  return publisher({ host, about: `robots.txt: ${about}`, robots: walk, elsewhere: walk })
}

const moved: readonly Publisher[] = [
  robotsHops(
    'robots-five-hops.example',
    5,
    'five redirects, then Disallow: / (RFC 9309 §2.3.1.2: at least five are followed).',
  ),
  robotsHops('robots-six-hops.example', 6, 'six redirects: one more than are followed.'),
  robotsSite(
    'robots-away.example',
    'redirects to another host, robots-elsewhere.example, where Disallow: / stands.',
    () => redirect(301, 'https://robots-elsewhere.example/hosted-robots.txt'),
  ),
  publisher({
    host: 'robots-elsewhere.example',
    about: 'No list names it: it holds the rules of robots-away.example.',
    listed: false,
    elsewhere: ({ path }) =>
      path === '/hosted-robots.txt' ? plainText('User-agent: *\nDisallow: /\n') : bare(404),
  }),
  robotsSite('robots-loop.example', 'redirects to itself.', () => redirect(302, '/robots.txt')),
]

export const byRobots: readonly Publisher[] = [...spoken, ...failing, ...moved]
