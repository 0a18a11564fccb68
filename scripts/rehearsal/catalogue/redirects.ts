/** Publishers whose ads.txt lies somewhere else (ads.txt 1.1 §3.1), and the hosts it lies on. */
import { adsTxt } from '../content.ts'
import type { Page } from '../page.ts'
import { type Publisher, publisher } from '../publisher.ts'
import { bare, plainText, redirect } from '../reply.ts'

type RedirectStatus = 301 | 302 | 307 | 308

const movedTo =
  (status: RedirectStatus, ...locations: readonly string[]): Page =>
  () =>
    redirect(status, ...locations)

const movedSite = (host: string, about: string, moved: Page): Publisher =>
  publisher({ host, about: `ads.txt: ${about}`, adsTxt: moved })

/** The apex sends to www by `status`, where the file is. Two hosts, one site. */
const apexAndWww = (name: string, status: RedirectStatus): readonly Publisher[] => [
  movedSite(
    name,
    `${status} to https://www.${name}/ads.txt, inside the site.`,
    movedTo(status, `https://www.${name}/ads.txt`),
  ),
  publisher({
    host: `www.${name}`,
    about: `No list names it: it holds the ads.txt of ${name}.`,
    listed: false,
  }),
]

/** /ads.txt → /ads-1.txt → … → /ads-N.txt, which is the file. */
const hopsInside = (host: string, hops: number, about: string): Publisher => {
  const walk: Page = ({ path, seed, host }) => {
    const hop = path === '/ads.txt' ? 0 : Number(/^\/ads-(\d+)\.txt$/.exec(path)?.[1])
    if (hop === hops) return plainText(adsTxt(seed, host))
    return hop < hops ? redirect(302, `/ads-${hop + 1}.txt`) : bare(404)
  }
  return publisher({ host, about: `ads.txt: ${about}`, adsTxt: walk, elsewhere: walk })
}

/** The site that hosts other sites' files, by their names: `/steady-press.example/ads.txt`. */
const hosted: readonly Publisher[] = [
  publisher({
    host: 'hosted-ads.example',
    about: 'No list names it: it hosts the ads.txt of others, and sends /onward/ to a third site.',
    listed: false,
    elsewhere: ({ path, seed }) => {
      const owner = /^\/([a-z0-9.-]+)\/ads\.txt$/.exec(path)?.[1]
      if (path === '/onward/ads.txt') return redirect(302, 'https://third-party.example/ads.txt')
      return owner === undefined ? bare(404) : plainText(adsTxt(seed, owner))
    },
  }),
  publisher({
    host: 'third-party.example',
    about: 'No list names it: hosted-ads.example sends here, one site too far.',
    listed: false,
  }),
]

const inside: readonly Publisher[] = [
  ...apexAndWww('ads-301.example', 301),
  ...apexAndWww('ads-302.example', 302),
  ...apexAndWww('ads-307.example', 307),
  ...apexAndWww('ads-308.example', 308),
  hopsInside('ads-three-hops.example', 3, 'three redirects inside the site, then the file.'),
  hopsInside(
    'ads-six-hops.example',
    6,
    'six redirects inside the site: one more than are followed.',
  ),
]

const outside: readonly Publisher[] = [
  movedSite(
    'ads-hosted.example',
    'one redirect to another site, hosted-ads.example, which is allowed.',
    movedTo(302, 'https://hosted-ads.example/ads-hosted.example/ads.txt'),
  ),
  movedSite(
    'ads-two-out.example',
    'redirects to hosted-ads.example, and that to a third site, which is not allowed.',
    movedTo(302, 'https://hosted-ads.example/onward/ads.txt'),
  ),
  movedSite(
    'ads-downgrade.example',
    'redirects from https to http.',
    movedTo(302, 'http://ads-downgrade.example/ads.txt'),
  ),
  movedSite('ads-loop.example', 'redirects to itself.', movedTo(302, '/ads.txt')),
  movedSite(
    'ads-to-file.example',
    'redirects to file:///etc/passwd.',
    movedTo(302, 'file:///etc/passwd'),
  ),
  movedSite(
    'ads-to-metadata.example',
    'redirects to a link-local address, where clouds keep their secrets.',
    movedTo(302, 'https://169.254.169.254/latest/meta-data/'),
  ),
  movedSite(
    'ads-to-userinfo.example',
    'redirects to an address with a user name and a password.',
    movedTo(302, 'https://someone:secret@hosted-ads.example/ads-to-userinfo.example/ads.txt'),
  ),
  movedSite(
    'ads-two-locations.example',
    'one redirect with two Location headers.',
    movedTo(
      302,
      'https://hosted-ads.example/ads-two-locations.example/ads.txt',
      'https://third-party.example/ads.txt',
    ),
  ),
  movedSite('ads-no-location.example', '302 without Location.', movedTo(302)),
]

export const redirects: readonly Publisher[] = [...hosted, ...inside, ...outside]
