/** The two ad networks, whose sellers.json files name the publishers. */
import { sellerId } from './content.ts'
import { between, onNights, type Page } from './page.ts'
import { allowAll, type NetworkId, type Publisher, publisher } from './publisher.ts'
import { answer, bare } from './reply.ts'

type Seller = Readonly<Record<string, string | number>>

/** What real files hold beside good entries: none of these names a site that can be asked. */
const ODDITIES: Readonly<Record<NetworkId, readonly Seller[]>> = {
  'adnet-one': [
    { seller_id: '00000001', seller_type: 'PUBLISHER', is_confidential: 1 },
    { seller_id: '00000002', seller_type: 'INTERMEDIARY', is_confidential: 1 },
    { seller_id: '00000003', seller_type: 'PUBLISHER', name: 'Slip', domain: 'not a domain' },
    { seller_id: '00000004', seller_type: 'PUBLISHER', name: 'Local', domain: 'localhost' },
    { seller_id: '00000005', seller_type: 'PUBLISHER', name: 'No web presence' },
  ],
  'adnet-two': [
    { seller_id: '00000001', seller_type: 'PUBLISHER', name: 'Number', domain: '192.0.2.7' },
    { seller_id: '00000002', seller_type: 'PUBLISHER', name: 'Suffix', domain: 'github.io' },
    { seller_id: '00000002', seller_type: 'PUBLISHER', is_confidential: 1 },
  ],
}

const sellersOf = (
  network: NetworkId,
  publishers: readonly Publisher[],
  asked: { readonly seed: number; readonly night: number },
): readonly Seller[] =>
  publishers.flatMap(({ host, listings }) =>
    listings
      .filter((listing) => listing.network === network)
      .filter(({ from, to }) => between(asked.night, from, to))
      .map(({ domain, type }) => ({
        seller_id: sellerId(asked.seed, network, host),
        seller_type: type,
        name: `Publisher of ${host}`,
        domain,
      })),
  )

const sellersJson =
  (network: NetworkId, publishers: readonly Publisher[]): Page =>
  (asked) => {
    const sellers = [...sellersOf(network, publishers, asked), ...ODDITIES[network]]
    const file = { contact_email: `sellers@${network}.example`, version: '1.0', sellers }
    return answer(200, [['Content-Type', 'application/json']], JSON.stringify(file, null, 1))
  }

const atSellersJson =
  (then: Page): Page =>
  (asked) =>
    asked.path === '/sellers.json' ? then(asked) : bare(404)

export type Network = { readonly id: NetworkId; readonly url: string }

export const NETWORKS: readonly Network[] = [
  { id: 'adnet-one', url: 'https://adnet-one.example/sellers.json' },
  { id: 'adnet-two', url: 'https://adnet-two.example/sellers.json' },
]

/** The networks' own hosts, with files that name `publishers`. */
export const networkHosts = (publishers: readonly Publisher[]): readonly Publisher[] => [
  publisher({
    host: 'adnet-one.example',
    about: 'Ad network: its sellers.json names most of the publishers, and a few it cannot name.',
    listed: false,
    robots: allowAll,
    elsewhere: atSellersJson(sellersJson('adnet-one', publishers)),
  }),
  publisher({
    host: 'adnet-two.example',
    about: 'Ad network: names a few publishers; its sellers.json is 500 on night 9.',
    listed: false,
    robots: allowAll,
    elsewhere: atSellersJson(onNights(9, 9, () => bare(500), sellersJson('adnet-two', publishers))),
  }),
]
