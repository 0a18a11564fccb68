/**
 * Ad networks and the hosts their page code loads from. Host names are facts, read from the networks'
 * own documentation and from public page code. `*.` stands for any name below.
 */
export type Network = {
  /** Stable name: it stands in ledger entries. */
  readonly name: string
  readonly title: string
  /** `manager` runs a site's advertising; the others are used by managers and by sites alike. */
  readonly role: 'manager' | 'exchange' | 'ad-server' | 'header-bidder' | 'widget'
  readonly hosts: readonly string[]
  /** Only addresses with such a path count. */
  readonly path?: RegExp
}

const UUID_TAG = /^\/tags\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:[./?]|$)/i

/** The first network that claims an address has it: narrower rules stand before wider ones. */
export const NETWORKS: readonly Network[] = [
  // Journey shares Mediavine's wrapper; its tags are named by a UUID, Mediavine's by a word.
  {
    name: 'journey',
    title: 'Journey by Mediavine',
    role: 'manager',
    hosts: ['scripts.mediavine.com'],
    path: UUID_TAG,
  },
  { name: 'journey', title: 'Journey by Mediavine', role: 'manager', hosts: ['*.journeymv.com'] },
  {
    name: 'mediavine',
    title: 'Mediavine',
    role: 'manager',
    hosts: [
      'scripts.mediavine.com',
      'amp.mediavine.com',
      'exchange.mediavine.com',
      'keywords.mediavine.com',
      'video.mediavine.com',
      'exchange.adsbymediavine.com',
    ],
  },
  { name: 'pubnation', title: 'PubNation', role: 'manager', hosts: ['scripts.pubnation.com'] },
  {
    name: 'raptive',
    title: 'Raptive (AdThrive, CafeMedia)',
    role: 'manager',
    hosts: [
      'ads.adthrive.com',
      'logger.adthrive.com',
      'prebid.production.adthrive.com',
      'ads.cafemedia.com',
    ],
  },
  {
    name: 'ezoic',
    title: 'Ezoic',
    role: 'manager',
    hosts: [
      'ezojs.com',
      '*.ezojs.com',
      '*.ezoic.net',
      '*.ezodn.com',
      '*.ezoiccdn.com',
      '*.gatekeeperconsent.com',
      'ezoicanalytics.com',
      '*.ezoicanalytics.com',
      'pbserver.ezoic.com',
      'videosvc.ezoic.com',
    ],
  },
  {
    name: 'monumetric',
    title: 'Monumetric',
    role: 'manager',
    hosts: ['monu.delivery', '*.monu.delivery'],
  },
  {
    name: 'freestar',
    title: 'Freestar',
    role: 'manager',
    hosts: ['*.pub.network', 'tags-cdn.deployads.com', 'floors.dev'],
  },
  {
    name: 'playwire',
    title: 'Playwire (Intergi)',
    role: 'manager',
    hosts: [
      'cdn.intergient.com',
      'prebid.intergient.com',
      'pbs.intergient.com',
      'cdn.intergi.com',
      'ads.intergi.com',
    ],
  },
  {
    name: 'shemedia',
    title: 'SHE Media',
    role: 'manager',
    hosts: ['ads.blogherads.com', 'ads.shemedia.com'],
  },
  // adconsent is Snigel's consent dialogue, used without its advertising as well.
  {
    name: 'snigel',
    title: 'Snigel',
    role: 'manager',
    hosts: ['*.snigelweb.com'],
    path: /^(?!\/adconsent\/)/,
  },
  { name: 'snigel', title: 'Snigel', role: 'manager', hosts: ['*.h-bid.com'] },
  { name: 'publift', title: 'Publift', role: 'manager', hosts: ['cdn.fuseplatform.net'] },
  {
    name: 'venatus',
    title: 'Venatus',
    role: 'manager',
    hosts: ['hb.vntsm.com', 'hb.vntsm.io', 'cdn1.vntsm.com', '*.venatusmedia.com'],
  },
  {
    name: 'setupad',
    title: 'Setupad',
    role: 'manager',
    hosts: ['stpd.cloud', '*.stpd.cloud', 'prebid.setupad.io'],
  },
  {
    name: 'adpushup',
    title: 'AdPushup',
    role: 'manager',
    hosts: ['cdn.adpushup.com', 'e3.adpushup.com', 'video.adpushup.com', 'assets.adpushup.com'],
  },
  {
    name: 'nitropay',
    title: 'NitroPay',
    role: 'manager',
    hosts: ['s.nitropay.com', 'floors.nitropay.com', 'pbs.nitropay.com', 'a.nitropay.com'],
  },
  {
    name: 'google-gpt',
    title: 'Google Ad Manager (GPT)',
    role: 'ad-server',
    hosts: ['securepubads.g.doubleclick.net', 'www.googletagservices.com'],
  },
  {
    name: 'google-gpt',
    title: 'Google Ad Manager (GPT)',
    role: 'ad-server',
    hosts: ['pagead2.googlesyndication.com'],
    path: /^\/tag\/js\//,
  },
  {
    name: 'google-adsense',
    title: 'Google AdSense',
    role: 'exchange',
    hosts: ['pagead2.googlesyndication.com'],
  },
  {
    name: 'amazon-aps',
    title: 'Amazon Publisher Services',
    role: 'header-bidder',
    hosts: ['c.amazon-adsystem.com', 'client.aps.amazon-adsystem.com', 'aax.amazon-adsystem.com'],
  },
  {
    name: 'media.net',
    title: 'Media.net',
    role: 'exchange',
    hosts: ['contextual.media.net', 'prebid.media.net', '*.mnet-ad.net'],
  },
  {
    name: 'sovrn',
    title: 'Sovrn',
    role: 'exchange',
    hosts: ['ap.lijit.com', 'cdn.lijit.com', 'ce.lijit.com', 's-onetag.com', '*.s-onetag.com'],
  },
  {
    name: 'taboola',
    title: 'Taboola',
    role: 'widget',
    hosts: ['cdn.taboola.com', 'trc.taboola.com', '*.taboolasyndication.com'],
  },
  {
    name: 'outbrain',
    title: 'Outbrain',
    role: 'widget',
    hosts: ['widgets.outbrain.com', 'odb.outbrain.com', '*.outbrainimg.com'],
  },
  // An engagement tool: no proof of advertising.
  {
    name: 'grow',
    title: 'Grow by Mediavine',
    role: 'widget',
    hosts: [
      'faves.grow.me',
      'scripts.grow.me',
      'app.grow.me',
      'api.grow.me',
      'site-assets.grow.me',
    ],
  },
]

const byHost = Map.groupBy(
  NETWORKS.flatMap((network) => network.hosts.map((host) => ({ host, network }))),
  ({ host }) => host,
)

/** The network that an address belongs to. `host` in lower case, `path` with its query. */
export const networkOf = (host: string, path: string): Network | undefined => {
  for (const key of keysOf(host)) {
    const claimed = byHost.get(key)?.find(({ network }) => network.path?.test(path) ?? true)
    if (claimed !== undefined) return claimed.network
  }
  return undefined
}

/** `a.b.c` → `a.b.c`, `*.b.c`, `*.c`. */
const keysOf = (host: string): readonly string[] => {
  const labels = host.split('.', 12)
  return [host, ...labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join('.')}`)]
}
