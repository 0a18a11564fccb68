/** Which places of a page count as witnesses of an ad network, and which network they name. */
import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf, NETWORKS } from '../../src/readers/ad-network/networks.ts'
import { readAdNetwork, readAdNetworkBytes } from '../../src/readers/ad-network/read.ts'

const NONE = { manager: null, hosts: [] }
const MONU = { manager: 'monumetric', hosts: ['monu.delivery'] }
const TAG = '<script src="//monu.delivery/site/a/1/x.js"></script>'

const reads = (name: string, html: string, expected: object): void => {
  test(name, () => deepEqual(readAdNetwork(html), expected))
}

const counted: Readonly<Record<string, string>> = {
  'a script source': TAG,
  'in any case and with a scheme': '<SCRIPT SRC="HTTPS://MONU.DELIVERY/x.js"></SCRIPT>',
  'without quotes': '<script async src=//monu.delivery/x.js></script>',
  'as a module': '<script type=module src="https://monu.delivery/x.js"></script>',
  'held back for consent':
    '<script type="text/plain" data-src="https://monu.delivery/x.js"></script>',
  'in a document without end tags': '<html><head><script src="//monu.delivery/x.js">',
  'deep in the body': `<table><tr><td><select><option>${TAG}`,
  'behind an svg title': `<svg><title/></svg>${TAG}`,
  'behind an unclosed tag and a stray end tag': `</template></noscript><p title="a>b">${TAG}`,
  'a preload': '<link rel="preload" as="script" href="https://monu.delivery/x.js">',
  'a module preload': '<link rel=modulepreload href="https://monu.delivery/x.js">',
  'a preconnect among other words': '<link rel="PRECONNECT nofollow" href="https://monu.delivery">',
  'a dns-prefetch': '<link rel="dns-prefetch" href="//monu.delivery">',
  'an address in an inline script': '<script>load("https://monu.delivery/x.js")</script>',
  'an address without a scheme': "<script>s.src='//monu.delivery/x.js'</script>",
  'an address in escaped JSON': '<script>var c={"u":"https:\\/\\/monu.delivery\\/x.js"}</script>',
  'an address in unicode escapes': '<script>u="https:\\u002F\\u002Fmonu.delivery"</script>',
  'an address that is put together':
    "<script>s.src='https://monu.delivery/site/' + id + '.js'</script>",
  'an address whose scheme is put in front':
    "<script>s.src=(d.location.protocol=='https:'?'https://':'http://')+'monu.delivery/x.js'</script>",
  'a script that only a proxy renamed':
    '<script type="text/rocketscript">x="//monu.delivery/a"</script>',
}
for (const [name, html] of Object.entries(counted)) reads(`nw: counts ${name}`, html, MONU)

const ignored: Readonly<Record<string, string>> = {
  'a link people click': '<a href="https://monu.delivery/">Monumetric</a>',
  text: '<p>We use https://monu.delivery/x.js here</p>',
  'an HTML comment': `<!-- ${TAG} -->`,
  'a comment that never ends': `<!-- ${TAG}`,
  'a conditional comment': `<!--[if IE]>${TAG}<![endif]-->`,
  noscript: `<noscript>${TAG}</noscript>`,
  'a template': `<template><div>${TAG}</div></template>`,
  'a textarea': `<textarea>${TAG}</textarea>`,
  'a title': `<title>${TAG}</title>`,
  'a style sheet': '<link rel="stylesheet" href="https://monu.delivery/x.css">',
  'a canonical link': '<link rel="canonical" href="https://monu.delivery/">',
  'an image': '<img src="https://monu.delivery/x.png">',
  'structured data': '<script type="application/ld+json">{"url":"https://monu.delivery"}</script>',
  'page data':
    '<script id="__NEXT_DATA__" type="application/json">{"a":"//monu.delivery"}</script>',
  'an inline script that never ends': '<script>x="https://monu.delivery/x.js"',
  'a line comment in a script': '<script>\n  // x="https://monu.delivery/x.js"\nf()</script>',
  'a remark behind code': '<script>f(); // was https://monu.delivery/x.js\n</script>',
  'a block comment in a script': '<script>/* "https://monu.delivery/x.js" */f()</script>',
  'a name that is only a word in a script': '<script>x=["monu.delivery"]</script>',
  'a longer name': '<script src="//notmonu.delivery/x.js"></script>',
  'a name in front': '<script src="//monu.delivery.other.example/x.js"></script>',
  'a name in the path': '<script src="/js/monu.delivery/x.js"></script>',
  'a name in the query': '<script src="/x.js?from=monu.delivery"></script>',
  'a name as user': '<script src="https://monu.delivery@other.example/x.js"></script>',
  'an address that is none': '<script src="https://[monu.delivery"></script>',
}
for (const [name, html] of Object.entries(ignored)) reads(`nw: ignores ${name}`, html, NONE)

reads(
  'nw: a manager beats exchanges, servers and widgets beside it',
  `
  <script src="https://securepubads.g.doubleclick.net/tag/js/gpt.js"></script>
  <script src="https://cdn.taboola.com/libtrc/site/loader.js"></script>
  <script src="https://pagead2.googlesyndication.com/pagead/js/adsbygoogle.js"></script>
  ${TAG}`,
  {
    manager: 'monumetric',
    exchange: ['google-adsense', 'google-gpt', 'taboola'],
    hosts: [
      'cdn.taboola.com',
      'monu.delivery',
      'pagead2.googlesyndication.com',
      'securepubads.g.doubleclick.net',
    ],
  },
)

reads(
  'nw: exchanges alone are no manager',
  '<script src="//contextual.media.net/dmedianet.js"></script>',
  {
    manager: null,
    exchange: ['media.net'],
    hosts: ['contextual.media.net'],
  },
)

reads(
  'nw: what is loaded beats what is prepared for, whatever comes first',
  `
  <link rel="preconnect" href="https://a.pub.network">${TAG}`,
  {
    manager: 'monumetric',
    hosts: ['a.pub.network', 'monu.delivery'],
  },
)

reads(
  'nw: of two managers loaded alike the first counts',
  `
  <script src="//a.pub.network/site/pubfig.min.js"></script>${TAG}`,
  {
    manager: 'freestar',
    hosts: ['a.pub.network', 'monu.delivery'],
  },
)

const UUID = '0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0'
reads(
  'nw: a tag named by a UUID on Mediavine’s host is Journey',
  `
  <script src="//scripts.mediavine.com/tags/${UUID}.js"></script>
  <script src="https://faves.grow.me/main.js"></script>`,
  {
    manager: 'journey',
    exchange: ['grow'],
    hosts: ['faves.grow.me', 'scripts.mediavine.com'],
  },
)
reads(
  'nw: Grow alone proves no advertising',
  '<script src="https://faves.grow.me/main.js"></script>',
  {
    manager: null,
    exchange: ['grow'],
    hosts: ['faves.grow.me'],
  },
)
test('nw: membership in a sellers.json decides between Mediavine and Journey', () => {
  const word = '<script src="//scripts.mediavine.com/tags/site.js"></script>'
  const uuid = `<script src="//scripts.mediavine.com/tags/${UUID}.js"></script>`
  equal(readAdNetwork(word).manager, 'mediavine')
  equal(readAdNetwork(word, { listedBy: ['journey'] }).manager, 'journey')
  equal(readAdNetwork(uuid, { listedBy: ['mediavine', 'ezoic'] }).manager, 'mediavine')
  equal(readAdNetwork(uuid, { listedBy: ['mediavine', 'journey'] }).manager, 'journey')
  equal(readAdNetwork(TAG, { listedBy: ['journey'] }).manager, 'monumetric')
})

reads(
  'nw: Snigel’s consent dialogue is not its advertising',
  '<script src="//cdn.snigelweb.com/adconsent/adconsent.js"></script>',
  NONE,
)
reads('nw: Snigel’s wildcard hosts', '<script>s="https://site-7.h-bid.com/a"</script>', {
  manager: 'snigel',
  hosts: ['site-7.h-bid.com'],
})
reads(
  'nw: Google’s server and AdSense share a host',
  '<script src="https://pagead2.googlesyndication.com/tag/js/gpt.js"></script>',
  {
    manager: null,
    exchange: ['google-gpt'],
    hosts: ['pagead2.googlesyndication.com'],
  },
)
reads(
  'nw: Raptive’s address is built in an inline script',
  `
  <script>!function(w,d){w.adthrive=w.adthrive||{};var s=d.createElement('script');
  s.src='https://ads.adthrive.com/sites/'+w.adthrive.siteId+'/ads.min.js?referrer='+encodeURIComponent(w.location.href);
  }(window,document)</script>`,
  {
    manager: 'raptive',
    hosts: ['ads.adthrive.com'],
  },
)

test('nw: the bytes are read in the encoding that their type, mark or head names', () => {
  const utf16 = Buffer.from(`\uFEFF<html>${TAG}`, 'utf16le')
  deepEqual(readAdNetworkBytes(utf16), MONU)
  deepEqual(readAdNetworkBytes(Buffer.from(TAG, 'utf16le'), 'text/html; charset=utf-16le'), MONU)
  deepEqual(readAdNetworkBytes(Buffer.from(`<meta charset=shift_jis>${TAG}`)), MONU)
  deepEqual(readAdNetworkBytes(Buffer.from(TAG), 'text/html; charset="nobody-knows"'), MONU)
})

for (const [manager, address] of [
  ['mediavine', '//scripts.mediavine.com/tags/site.js'],
  ['pubnation', `//scripts.pubnation.com/tags/${UUID}.js`],
  ['raptive', 'https://ads.adthrive.com/sites/0123456789abcdef01234567/ads.min.js'],
  ['ezoic', '//www.ezojs.com/ezoic/sa.min.js'],
  ['ezoic', 'https://cmp.gatekeeperconsent.com/min.js'],
  ['monumetric', '//monu.delivery/site/a/1/x.js'],
  ['freestar', 'https://a.pub.network/site/pubfig.min.js'],
  ['playwire', '//cdn.intergient.com/1/2/ramp.js'],
  ['shemedia', '//ads.blogherads.com/static/blogherads.js'],
  ['snigel', '//cdn.snigelweb.com/adengine/site.example/loader.js'],
  ['publift', '//cdn.fuseplatform.net/publift/tags/2/1/fuse.js'],
  ['venatus', 'https://hb.vntsm.com/v3/live/ad-manager.min.js'],
  ['setupad', 'https://stpd.cloud/saas/1'],
  ['adpushup', '//cdn.adpushup.com/1/adpushup.js'],
  ['nitropay', 'https://s.nitropay.com/ads-1.js'],
] as const)
  test(`nw: ${address} is ${manager}`, () => {
    equal(readAdNetwork(`<script async src="${address}"></script>`).manager, manager)
  })

test('nw: the table claims no host twice, except where the path tells two networks apart', () => {
  const claims = NETWORKS.filter(({ path }) => path === undefined).flatMap(({ hosts }) => hosts)
  deepEqual(claims.length, new Set(claims).size)
  for (const { name, hosts, path } of NETWORKS)
    for (const host of hosts) {
      equal(host, host.toLowerCase())
      if (path === undefined) equal(networkOf(host.replace('*', 'any.sub'), '/x')?.name, name, host)
    }
})
