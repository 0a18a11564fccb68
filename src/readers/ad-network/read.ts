import sniffEncoding from 'html-encoding-sniffer'
import { decodeBody } from '../../capture/decode-body.ts'
import { headerValues } from '../../capture/headers.ts'
import { E } from '../../kernel/fp.ts'
import type { Capture, Reader } from '../reader.ts'
import { addressesIn } from './inline-script.ts'
import { type Network, networkOf } from './networks.ts'
import { type Mention, mentionsOf } from './page.ts'

/**
 * Which ad network a page runs. `manager` runs the site's advertising; `exchange` lists the
 * exchanges, ad servers, header bidders and widgets beside it (absent if none); `hosts` are the host
 * names that gave the answer. Both lists are sorted.
 */
export type AdNetworkReading = {
  readonly manager: string | null
  readonly exchange?: readonly string[]
  readonly hosts: readonly string[]
}

export type AdNetworkContext = {
  /** Networks whose sellers.json names the site: the better witness where two share a host. */
  readonly listedBy?: readonly string[]
}

type Witness = { readonly network: Network; readonly host: string; readonly by: Mention['by'] }

/** Reads a page's HTML. Total, and linear in the page. */
export const readAdNetwork = (html: string, context: AdNetworkContext = {}): AdNetworkReading => {
  const witnesses = mentionsOf(html).flatMap(witnessesOf)
  const others = witnesses.filter(({ network }) => network.role !== 'manager')
  const exchange = [...new Set(others.map(({ network }) => network.name))].sort()
  return {
    manager: managerOf(witnesses, context.listedBy ?? []),
    ...(exchange.length === 0 ? {} : { exchange }),
    hosts: [...new Set(witnesses.map(({ host }) => host))].sort(),
  }
}

/** Reads a page's bytes; the encoding is found as browsers do (HTML, "encoding sniffing algorithm"). */
export const readAdNetworkBytes = (
  bytes: Uint8Array,
  contentType?: string,
  context: AdNetworkContext = {},
): AdNetworkReading => readAdNetwork(decode(bytes, charsetOf(contentType)), context)

const charsetOf = (contentType = ''): string | undefined =>
  /;\s*charset\s*=\s*"?([^\s";]{1,60})/i.exec(contentType)?.[1]

const decode = (bytes: Uint8Array, charset: string | undefined): string => {
  const encoding = sniffEncoding(
    bytes,
    charset === undefined ? {} : { transportLayerEncodingLabel: charset },
  )
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    // An encoding nobody decodes any more; host names are ASCII, so latin letters are enough.
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

const witnessesOf = ({ by, text }: Mention): readonly Witness[] =>
  (by === 'inline' ? addressesIn(text) : [text.slice(0, ADDRESS_MAX)]).flatMap((address) => {
    const url = URL.parse(address, 'https://page.invalid/')
    const network = url === null ? undefined : networkOf(url.hostname, url.pathname + url.search)
    return url === null || network === undefined ? [] : [{ network, host: url.hostname, by }]
  })

const ADDRESS_MAX = 8_192

/** What is loaded tells more than what is prepared for. */
const STRENGTH: Readonly<Record<Mention['by'], number>> = {
  script: 4,
  inline: 3,
  preload: 2,
  connect: 1,
}

/** The best witnessed manager; of equals, the one the page names first. */
const managerOf = (witnesses: readonly Witness[], listedBy: readonly string[]): string | null => {
  let best: Witness | undefined
  for (const witness of witnesses) {
    if (witness.network.role !== 'manager') continue
    if (best === undefined || STRENGTH[witness.by] > STRENGTH[best.by]) best = witness
  }
  return best === undefined ? null : listedName(best, listedBy)
}

/** Mediavine and Journey share a host: membership in one of their lists decides before the tag does. */
const listedName = ({ network, host }: Witness, listedBy: readonly string[]): string => {
  if (host !== 'scripts.mediavine.com') return network.name
  const listed = ['mediavine', 'journey'].filter((name) => listedBy.includes(name))
  return listed.length === 1 ? (listed[0] ?? network.name) : network.name
}

const DECODED_BYTES_MAX = 16_777_216

const readCapture = ({ body, headers }: Capture): AdNetworkReading => {
  const decoded = decodeBody(body, headers, DECODED_BYTES_MAX)
  if (E.isLeft(decoded)) return { manager: null, hosts: [] }
  return readAdNetworkBytes(decoded.right, headerValues(headers, 'content-type')[0])
}

export const AD_NETWORK_READER: Reader = {
  name: 'ad-network',
  version: 1,
  read: readCapture,
}
