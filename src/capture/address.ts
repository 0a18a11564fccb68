/**
 * Which network addresses a crawler may connect to: public unicast, nothing else. Everything that
 * could reach the machine itself, its network, or a place hidden inside another notation is refused.
 * Source: the IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890 and its updates).
 */
import type { HttpUrl } from '../kernel/url.ts'

export type AddressKind =
  | 'public'
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'shared'
  | 'link-local'
  | 'multicast'
  | 'documentation'
  | 'benchmark'
  /** An IPv6 address that carries an IPv4 address inside: mapped, 6to4, Teredo, NAT64, ISATAP … */
  | 'embedded'
  | 'reserved'
  | 'not-an-address'

type Range = readonly [prefix: string, bits: number, kind: AddressKind]

const IPV4_RANGES: readonly Range[] = [
  ['0.0.0.0', 8, 'unspecified'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'shared'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link-local'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.0.2.0', 24, 'documentation'],
  ['192.88.99.0', 24, 'embedded'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'benchmark'],
  ['198.51.100.0', 24, 'documentation'],
  ['203.0.113.0', 24, 'documentation'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved'],
]

/** Looked up in this order; whatever lies outside 2000::/3 (global unicast) is reserved. */
const IPV6_RANGES: readonly Range[] = [
  ['::', 128, 'unspecified'],
  ['::1', 128, 'loopback'],
  ['::', 96, 'embedded'],
  ['::ffff:0:0', 96, 'embedded'],
  ['::ffff:0:0:0', 96, 'embedded'],
  ['64:ff9b::', 96, 'embedded'],
  ['64:ff9b:1::', 48, 'embedded'],
  ['2001::', 32, 'embedded'],
  ['2001:2::', 48, 'benchmark'],
  ['2001:db8::', 32, 'documentation'],
  ['2001::', 23, 'reserved'],
  ['2002::', 16, 'embedded'],
  ['3fff::', 20, 'documentation'],
  ['fc00::', 7, 'private'],
  ['fe80::', 10, 'link-local'],
  ['fec0::', 10, 'private'],
  ['ff00::', 8, 'multicast'],
]

const IPV4_FORM = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/** The 4 bytes of a dotted quad; undefined for any other spelling. */
const ipv4Bytes = (text: string): readonly number[] | undefined =>
  IPV4_FORM.test(text) ? text.split('.').map(Number) : undefined

/** The 16 bytes of an IPv6 address in any RFC 4291 spelling, a zone (`%eth0`) left out. */
const ipv6Bytes = (text: string): readonly number[] | undefined => {
  const address = text.split('%', 1)[0] ?? ''
  if (!/^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(address)) return undefined
  // The WHATWG parser prints one spelling: lower case, no dotted quad, the longest zero run as `::`.
  const printed = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1)
  if (printed === undefined) return undefined
  const [head = '', tail = ''] = printed.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after].flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}

const hasPrefix = (bytes: readonly number[], prefix: readonly number[], bits: number): boolean =>
  bytes.every((byte, index) => {
    const counted = Math.min(8, Math.max(0, bits - index * 8))
    const mask = (0xff << (8 - counted)) & 0xff
    return (byte & mask) === ((prefix[index] ?? 0) & mask)
  })

type Table = readonly (readonly [bytes: readonly number[], bits: number, kind: AddressKind])[]
const tableOf = (
  ranges: readonly Range[],
  read: (text: string) => readonly number[] | undefined,
): Table => ranges.map(([prefix, bits, kind]) => [read(prefix) ?? [], bits, kind])

const IPV4_TABLE = tableOf(IPV4_RANGES, ipv4Bytes)
const IPV6_TABLE = tableOf(IPV6_RANGES, ipv6Bytes)

const kindIn = (table: Table, bytes: readonly number[]): AddressKind | undefined =>
  table.find(([prefix, bits]) => hasPrefix(bytes, prefix, bits))?.[2]

/** RFC 5214 §6.1: interface identifiers 0000:5efe and 0200:5efe carry an IPv4 address. */
const isIsatap = (bytes: readonly number[]): boolean =>
  ((bytes[8] ?? 0) & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe

const kindOfIpv6 = (bytes: readonly number[]): AddressKind => {
  const special = kindIn(IPV6_TABLE, bytes)
  if (special !== undefined) return special
  if (isIsatap(bytes)) return 'embedded'
  return ((bytes[0] ?? 0) & 0xe0) === 0x20 ? 'public' : 'reserved'
}

/** What `address` (an IPv4 dotted quad or an IPv6 address without brackets) is for. */
export const kindOfAddress = (address: string): AddressKind => {
  const four = ipv4Bytes(address)
  if (four !== undefined) return kindIn(IPV4_TABLE, four) ?? 'public'
  const six = ipv6Bytes(address)
  return six === undefined ? 'not-an-address' : kindOfIpv6(six)
}

export const isPublicAddress = (address: string): boolean => kindOfAddress(address) === 'public'

/**
 * The address a URL's host spells out, without brackets; undefined for a name. The WHATWG parser
 * has already turned `0x7f.1`, `2130706433` and the like into a dotted quad.
 */
export const literalAddressOf = (url: HttpUrl): string | undefined => {
  const host = new URL(url).hostname
  if (host.startsWith('[')) return host.slice(1, -1)
  return ipv4Bytes(host) === undefined ? undefined : host
}
