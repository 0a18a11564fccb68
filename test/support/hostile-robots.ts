/** Files and addresses that cost readers of robots.txt the most, at any size. */

/** A file is `head`, then `unit` over and over; an address is its own unit over and over. */
export type Recipe = {
  readonly head: string
  /** `№` stands for a number that counts up. */
  readonly unit: string
  readonly address: string
}

/** Octets, cut at the last unit that fits. */
export const hostileFile = ({ head, unit }: Recipe, octets: number): Buffer => {
  const parts = [head]
  let length = head.length
  for (let n = 0; ; n += 1) {
    const part = unit.replaceAll('№', String(n))
    length += part.length
    if (length > octets || part === '') return Buffer.from(parts.join(''), 'latin1')
    parts.push(part)
  }
}

/** A path that has at most so many octets as it goes out. */
export const hostilePath = ({ address }: Recipe, octets: number): string =>
  `/${address.repeat(Math.max(1, Math.floor((octets - 1) / encodeURI(address).length)))}`

const US = 'User-agent: *\n'
const A = 'a'

const recipe = (head: string, unit: string, address = A): Recipe => ({ head, unit, address })

/** What each of them strains stands in its name. */
export const HOSTILE: Readonly<Record<string, Recipe>> = {
  'plain rules': recipe(US, 'Disallow: /p№/aaaaaaaaaaaa\n'),
  'many agent lines': recipe('', 'user-agent:*\n'),
  'many agents of other names': recipe('', 'user-agent:a№\n'),
  'many agent lines, one rule each': recipe('', 'user-agent:*\nallow:*b\n'),
  'many agent lines and a Crawl-delay each': recipe('', 'user-agent:*\ncrawl-delay:1\n'),
  'one line each, agent and rule': recipe('', 'User-agent:*Allow:*b\n'),
  'one line of many records': recipe('User-agent: *', ' Disallow: /*b'),
  'a line of nothing but keys': recipe('User-agent:', 'allow:'),
  'the shortest rules': recipe(US, 'Allow:/\n'),
  'the shortest rules with a star': recipe(US, 'Allow:*b\n'),
  'rules of rising length': recipe(US, 'Allow:*a№\n'),
  'rules of five hundred stars': recipe(US, `Disallow: /${'*a'.repeat(500)}b\n`),
  'rules of five hundred stars and pairs': recipe(US, `Disallow: /${'*aa'.repeat(500)}b\n`, 'ab'),
  'rules whose every piece is there': recipe(US, `Disallow: /${'*ba'.repeat(2_700)}$\n`, 'ab'),
  'wildcard rules whose pieces nearly match': recipe(US, 'Disallow: /*aaab*aab*c\n'),
  'long pieces that differ at their start': recipe(US, `Disallow: /*b${A.repeat(400)}\n`),
  'long pieces that differ at their end': recipe(US, `Disallow: /*${A.repeat(400)}b\n`),
  'pieces as long as the address': recipe(US, `Disallow: /*${A.repeat(8_000)}b\n`),
  'one star of half a line': recipe(US, `Disallow: /${'*'.repeat(16_000)}b\n`),
  'missing colons': recipe(US, 'disallow /\n'),
  'misspelt keys': recipe(US, 'disalow:/\n'),
  'text that is no record': recipe('', 'x\n'),
  'nothing but colons': recipe('', ':\n'),
  'nothing but line ends': recipe('', '\r'),
  'nothing but space': recipe('', ' '),
  'words far apart': recipe('', `a ${' '.repeat(16_000)}b c\n`),
  'NUL octets': recipe(US, 'Disallow:/\0\n'),
  'octets that are not UTF-8': recipe(US, 'Allow:/\u00e9\n'),
  'octets to encode': recipe(US, `Allow:/${'\u00e9'.repeat(16_000)}\n`),
  'octets to decode': recipe(US, 'Allow:/%61%62%63\n'),
  'octets to decode, line by line': recipe(US, `Allow:/${'%61'.repeat(5_000)}\n`),
  sitemaps: recipe('', 'sitemap:/a\n'),
  'a page': recipe('<html>', '<b>Allow:/</b>\n'),
  'open tags': recipe('<a\n', '<a'),
  'UTF-16': recipe('\u00ff\u00fe', 'A\0l\0l\0o\0w\0:\0*\0\n\0'),
  'an address of octets to encode': recipe(US, 'Allow:*b\n', '世'),
  'an address without an end to its pattern': recipe(US, 'Allow:*abaab\n', 'abaababaabaab'),
}
