import { adsTxt, homepage } from './content.ts'
import type { Page } from './page.ts'
import { bare, plainText } from './reply.ts'

/** What a server does with a connection before it has read anything. */
export type Door = 'open' | 'reset' | 'silent'
export type Certificate = 'valid' | 'expired' | 'wrong-name'

export type NetworkId = 'adnet-one' | 'adnet-two'

/** One entry of a network's sellers.json, as it is written there. */
export type Listing = {
  readonly network: NetworkId
  /** As the network spells it: upper case, a subdomain or nonsense included. */
  readonly domain: string
  readonly type: 'PUBLISHER' | 'INTERMEDIARY' | 'BOTH'
  /** The nights on which the entry stands there, both included. */
  readonly from: number
  readonly to: number
}

/** One invented host: two servers (http, https), each with a port of its own. */
export type Publisher = {
  readonly host: string
  /** What it does, for the table in README.md. */
  readonly about: string
  readonly listings: readonly Listing[]
  /** false: nobody listens, connections are refused. */
  readonly listens: boolean
  readonly door: (night: number) => Door
  readonly certificate: (night: number) => Certificate
  readonly answer: Page
}

type Draft = {
  readonly host: string
  readonly about: string
  readonly robots?: Page
  readonly adsTxt?: Page
  readonly home?: Page
  /** Any other path; 404 if left out. */
  readonly elsewhere?: Page
  /** false: no network names it. Left out: adnet-one does, by its host name, every night. */
  readonly listed?: false | readonly (Partial<Listing> & { readonly network: NetworkId })[]
  readonly listens?: boolean
  readonly door?: (night: number) => Door
  readonly certificate?: (night: number) => Certificate
}

export const allowAll: Page = () => plainText('User-agent: *\nDisallow: /private/\n')
const normalAdsTxt: Page = ({ seed, host }) => plainText(adsTxt(seed, host))
const notFound: Page = () => bare(404)

/** A host that behaves well in all that the draft does not say. Plain http leads to https. */
export const publisher = (draft: Draft): Publisher => {
  const { host, about, elsewhere = notFound } = draft
  const pages = new Map([
    ['/robots.txt', draft.robots ?? allowAll],
    ['/ads.txt', draft.adsTxt ?? normalAdsTxt],
    ['/', draft.home ?? homepage()],
  ])
  return {
    host,
    about,
    listings: listingsOf(draft),
    listens: draft.listens ?? true,
    door: draft.door ?? (() => 'open'),
    certificate: draft.certificate ?? (() => 'valid'),
    answer: (asked) => (pages.get(asked.path) ?? elsewhere)(asked),
  }
}

const listingsOf = ({ host, listed }: Draft): readonly Listing[] => {
  const given = listed ?? [{ network: 'adnet-one' }]
  if (given === false) return []
  const always = { domain: host, type: 'PUBLISHER', from: 1, to: Infinity } as const
  return given.map((listing) => ({ ...always, ...listing }))
}
