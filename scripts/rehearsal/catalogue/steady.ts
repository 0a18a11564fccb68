/** Publishers whose servers work, and what changes in their files from night to night. */
import { adsTxtLines, homepage } from '../content.ts'
import { type Page, onNights } from '../page.ts'
import { type Publisher, publisher } from '../publisher.ts'
import { bare, plainText } from '../reply.ts'

const robots =
  (...lines: readonly string[]): Page =>
  () =>
    plainText(`${lines.join('\n')}\n`)

/** The site's own ads.txt with its lines changed. */
const changedAdsTxt =
  (change: (line: string, index: number) => string): Page =>
  ({ seed, host }) =>
    plainText(`${adsTxtLines(seed, host).map(change).join('\n')}\n`)

const asItIs = changedAdsTxt((line) => line)
/** The line that names adnet-one, which stands third. */
const ownLine =
  (change: (line: string) => string) =>
  (line: string, index: number): string =>
    index === 2 ? change(line) : line

export const steady: readonly Publisher[] = [
  publisher({
    host: 'steady-press.example',
    about: 'Works: robots.txt with rules for others, ads.txt, a homepage with an ad manager.',
    robots: robots(
      'User-agent: GreedyBot',
      'Disallow: /',
      '',
      'User-agent: *',
      'Disallow: /private/',
      'Sitemap: https://steady-press.example/sitemap.xml',
    ),
  }),
  publisher({
    host: 'plain-daily.test',
    about: 'Works, under .test: robots.txt is 404, which allows everything.',
    robots: () => bare(404),
    home: homepage('raptive'),
  }),
  publisher({
    host: 'no-rules.example',
    about: 'Works: robots.txt is 200 and empty.',
    robots: () => plainText(''),
    home: homepage('ezoic'),
  }),
  publisher({
    host: 'shouted-name.example',
    about: 'Works. adnet-one spells it SHOUTED-NAME.Example.',
    listed: [{ network: 'adnet-one', domain: 'SHOUTED-NAME.Example' }],
    home: homepage('monumetric'),
  }),
  publisher({
    host: 'by-subdomain.example',
    about: 'Works. adnet-one names only news.by-subdomain.example; the site is the domain above.',
    listed: [{ network: 'adnet-one', domain: 'news.by-subdomain.example' }],
    home: homepage('freestar'),
  }),
  publisher({
    host: 'rehearsal-press.github.io',
    about: 'Works. A site of its own by the private section of the Public Suffix List.',
  }),
  publisher({
    host: 'in-both-lists.example',
    about: 'Works. Named by adnet-one and by adnet-two, twice there, as PUBLISHER and as BOTH.',
    listed: [
      { network: 'adnet-one' },
      { network: 'adnet-two' },
      { network: 'adnet-two', type: 'BOTH' },
    ],
  }),
  publisher({
    host: 'no-manager.example',
    about: 'Works. Its homepage names an ad server but no ad manager.',
    home: homepage('none'),
  }),
  publisher({
    host: 'line-breaks.example',
    about: 'ads.txt: on nights 3–5 the adnet-one line has lost its first comma.',
    adsTxt: onNights(3, 5, changedAdsTxt(ownLine((line) => line.replace(',', ''))), asItIs),
  }),
  publisher({
    host: 'turns-reseller.example',
    about: 'ads.txt: from night 4 the adnet-one line says RESELLER instead of DIRECT.',
    adsTxt: onNights(
      4,
      Infinity,
      changedAdsTxt(ownLine((line) => line.replace('DIRECT', 'RESELLER'))),
      asItIs,
    ),
  }),
  publisher({
    host: 'file-vanishes.example',
    about: 'ads.txt is 404 on nights 3–5 and then back as it was.',
    adsTxt: onNights(3, 5, () => bare(404), asItIs),
  }),
  publisher({
    host: 'shuts-the-door.example',
    about: 'robots.txt: on nights 4–7 a group for PlainReckonerBot says Disallow: /.',
    robots: onNights(
      4,
      7,
      robots('User-agent: PlainReckonerBot', 'Disallow: /', '', 'User-agent: *', 'Allow: /'),
      robots('User-agent: *', 'Allow: /'),
    ),
  }),
  publisher({
    host: 'changes-manager.example',
    about: 'Homepage: the ad manager is another one from night 5 on.',
    home: onNights(5, Infinity, homepage('raptive'), homepage('mediavine')),
  }),
  publisher({
    host: 'leaves-the-list.example',
    about: 'Works. Its only seller entry, at adnet-two, is gone from night 6 on.',
    listed: [{ network: 'adnet-two', to: 5 }],
  }),
  publisher({
    host: 'joins-late.example',
    about: 'Works. adnet-two names it from night 3 on.',
    listed: [{ network: 'adnet-two', from: 3 }],
  }),
  publisher({
    host: 'both-roles.example',
    about: 'Works. adnet-two names it once, as BOTH.',
    listed: [{ network: 'adnet-two', type: 'BOTH' }],
  }),
  publisher({
    host: 'middleman.example',
    about: 'adnet-one names it as INTERMEDIARY: a seller of others’ space, not a publisher.',
    listed: [{ network: 'adnet-one', type: 'INTERMEDIARY' }],
  }),
  publisher({
    host: 'never-asked.example',
    about: 'No list names it; every homepage links to it. Nobody may ever come.',
    listed: false,
  }),
]
