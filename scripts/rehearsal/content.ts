/** Invented texts, the same for the same seed. */
import { sha256Hex } from '../../src/kernel/digest.ts'
import { html } from './reply.ts'
import type { Page } from './page.ts'

/** `digits` hexadecimal digits that depend on the seed and the words. */
const hex = (seed: number, digits: number, ...words: readonly string[]): string =>
  sha256Hex([seed, ...words].join(' ')).slice(0, digits)

/** A whole number from `from` to `to` that depends on the seed and the words. */
const number = (seed: number, from: number, to: number, ...words: readonly string[]): number =>
  from + (Number.parseInt(hex(seed, 12, ...words), 16) % (to - from + 1))

export const sellerId = (seed: number, network: string, domain: string): string =>
  String(number(seed, 10_000, 99_999, 'seller', network, domain)).padStart(8, '0')

/** Stands in the homepage of `host`, in its ETag and its cookie, and must never stand on a disk. */
export const secretOf = (seed: number, host: string): string =>
  `secret-${hex(seed, 24, 'secret', host)}`

/** An ad exchange's records: a few of each site's own, some resold. */
const records = (seed: number, host: string): string[] =>
  Array.from({ length: number(seed, 3, 12, 'records', host) }, (_, index) => {
    const id = hex(seed, 10, 'account', host, String(index))
    const relation = index % 3 === 0 ? 'DIRECT' : 'RESELLER'
    return `exchange-${1 + (index % 5)}.example, ${id}, ${relation}, ${hex(seed, 16, 'tag', String(index % 5))}`
  })

export const adsTxtLines = (seed: number, host: string): readonly string[] => [
  `# ads.txt of ${host}`,
  `OWNERDOMAIN=${host}`,
  `adnet-one.example, ${sellerId(seed, 'adnet-one', host)}, DIRECT`,
  ...records(seed, host),
]

export const adsTxt = (seed: number, host: string): string =>
  `${adsTxtLines(seed, host).join('\n')}\n`

/** How the ad managers' scripts stand in a page: their real hosts, invented slugs. */
const MANAGERS = {
  mediavine:
    '<script async data-noptimize="1" src="//scripts.mediavine.com/tags/SLUG.js"></script>',
  raptive:
    '<script>(function(w,d){var s=d.createElement("script");s.src="https://ads.adthrive.com/sites/HEX24/ads.min.js";d.head.append(s)})(window,document)</script>',
  ezoic: '<script async src="//www.ezojs.com/ezoic/sa.min.js"></script>',
  monumetric: '<script async src="//monu.delivery/site/a/5/SLUG.js" data-cfasync="false"></script>',
  freestar: '<script async src="https://a.pub.network/SLUG/pubfig.min.js"></script>',
  none: '<script src="https://securepubads.g.doubleclick.net/tag/js/gpt.js"></script>',
} as const
export type Manager = keyof typeof MANAGERS

const slug = (host: string): string => host.replaceAll('.', '-')

/**
 * A homepage with everything a crawler must leave alone: links, images, styles, scripts, a form, a
 * frame, a feed, a refresh to elsewhere. Each leads to a server that writes down who comes.
 */
export const pageText = (seed: number, host: string, manager: Manager): string => {
  const script = MANAGERS[manager]
    .replace('SLUG', slug(host))
    .replace('HEX24', hex(seed, 24, 'raptive', host))
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${host}</title>
<link rel="stylesheet" href="/style.css"><link rel="preload" as="script" href="/app.js">
<link rel="alternate" type="application/rss+xml" href="/feed.xml"><link rel="icon" href="/favicon.ico">
<script src="/app.js"></script><script src="https://never-asked.example/tracker.js"></script>
${script}
</head><body><h1>${host}</h1><p>${secretOf(seed, host)}</p>
<a href="/about">About</a> <a href="https://never-asked.example/">A friend</a> <a href="/login">Log in</a>
<img src="/logo.png" alt=""><img src="https://never-asked.example/pixel.gif" alt="">
<iframe src="https://never-asked.example/frame"></iframe>
<form action="/search"><input name="q"><button>Search</button></form>
</body></html>
`
}

/** The homepage of whoever is asked, with headers that would give its body away if they were kept. */
export const homepage =
  (manager: Manager = 'mediavine'): Page =>
  ({ seed, host }) =>
    html(pageText(seed, host, manager), 200, [
      ['ETag', `"${secretOf(seed, host)}"`],
      ['Set-Cookie', `visitor=${secretOf(seed, host)}; Path=/; Secure; HttpOnly`],
      ['Link', '</style.css>; rel=preload; as=style'],
    ])
