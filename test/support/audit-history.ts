/** A few nights with a bit of everything a crawl can meet, all of it within the promises. */
import {
  type AuditScript,
  type AuditWorld,
  auditWorld,
  moved,
  NETWORK,
  page,
  sellers,
  text,
} from './audit-world.ts'

export const SITES = {
  plain: 'plain.example',
  shut: 'shut.example',
  slow: 'slow.example',
  slower: 'slower.example',
  busy: 'busy.example',
  broken: 'broken.example',
  dark: 'dark.example',
  roaming: 'roaming.example',
  leaver: 'leaver.example',
  guarded: 'guarded.example',
} as const

const script: AuditScript = {
  [NETWORK]: sellers(...Object.values(SITES)),
  'https://plain.example/robots.txt': text('User-agent: *\nDisallow: /private\n'),
  'https://plain.example/ads.txt': text('adnet.example, 0, DIRECT\n'),
  'https://plain.example/': {
    ...page,
    headers: [
      ['Content-Type', 'text/html'],
      ['ETag', '"x"'],
      ['Set-Cookie', 'a=b'],
    ],
  },
  'https://shut.example/robots.txt': text('User-agent: PlainReckonerBot\nDisallow: /\n'),
  'https://shut.example/ads.txt': text('adnet.example, 1, DIRECT\n'),
  'https://shut.example/': page,
  'https://slow.example/robots.txt': text('User-agent: *\nCrawl-delay: 20\n'),
  'https://slow.example/ads.txt': text(''),
  'https://slow.example/': page,
  'https://slower.example/robots.txt': text('User-agent: *\nCrawl-delay: 31\n'),
  'https://busy.example/robots.txt': text('User-agent: *\nAllow: /\n'),
  'https://busy.example/ads.txt': { status: 429, headers: [['Retry-After', '172800']] },
  'https://broken.example/robots.txt': { status: 503 },
  'https://dark.example/robots.txt': 'refused',
  'https://roaming.example/robots.txt': moved('https://www.roaming.example/robots.txt'),
  'https://www.roaming.example/robots.txt': text('User-agent: *\nDisallow: /x\n'),
  'https://roaming.example/ads.txt': moved('https://hosted.example/roaming/ads.txt', 302),
  'https://hosted.example/roaming/ads.txt': text('adnet.example, 7, DIRECT\n'),
  'https://roaming.example/': moved('https://www.roaming.example/'),
  'https://www.roaming.example/': moved('https://www.roaming.example/en/'),
  'https://leaver.example/robots.txt': text(''),
  'https://leaver.example/ads.txt': text(''),
  'https://leaver.example/': page,
  'https://guarded.example/robots.txt': text(''),
  'https://guarded.example/ads.txt': { status: 403 },
}

/** Seven nights: one run dies and is recovered, a site is excluded and readmitted, one stopped and resumed. */
export const fullHistory = async (): Promise<AuditWorld> => {
  const world = await auditWorld({ ...script })
  for (let night = 1; night <= 7; night += 1) {
    if (night === 2) await world.night(`run-${night}-dying`, 9)
    await world.night(`run-${night}`)
    await world.nextNight()
    if (night === 2) await world.act('SiteExcluded', SITES.leaver)
    if (night === 4) await world.act('SiteReadmitted', SITES.leaver)
    if (night === 5) await world.act('SiteResumed', SITES.dark)
  }
  return world
}
