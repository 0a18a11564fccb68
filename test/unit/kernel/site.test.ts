import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { isHost, Site, siteOfDomain, siteOfHost } from '../../../src/kernel/site.ts'

const hosts: readonly (readonly [string, string, string])[] = [
  ['a registrable domain is a site', 'example.org', 'example.org'],
  ['hosts below it are the same site', 'www.shop.example.org', 'example.org'],
  ['a suffix of two labels', 'www.example.co.uk', 'example.co.uk'],
  ['the private section of the suffix list: pages', 'a.name.github.io', 'name.github.io'],
  [
    'the private section of the suffix list: shops',
    'x.myshop.myshopify.com',
    'myshop.myshopify.com',
  ],
  ['the private section: two owners are two sites', 'other.github.io', 'other.github.io'],
  ['the private section: storage by the bucket', 'x.s3.amazonaws.com', 'x.s3.amazonaws.com'],
  ['the private section: a page below a page', 'a.b.name.pages.dev', 'name.pages.dev'],
  ['the private section, with the dot', 'a.name.github.io.', 'name.github.io'],
  ['a wildcard rule of the list', 'a.b.c.kawasaki.jp', 'b.c.kawasaki.jp'],
  ['an exception rule of the list', 'a.city.kawasaki.jp', 'city.kawasaki.jp'],
  ['a suffix the list does not know', 'a.b.example', 'b.example'],
  ['an international name in ASCII', 'www.xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['the dot of a full name changes nothing', 'www.example.org.', 'example.org'],
  ['a public suffix has no owner and is its own site', 'github.io', 'github.io'],
  ['an IPv4 address is its own site', '192.0.2.7', '192.0.2.7'],
  ['an IPv6 address is its own site', '[2001:db8::7]', '[2001:db8::7]'],
  ['a host of one label is its own site', 'localhost', 'localhost'],
  ['a name with an underscore below a domain', '_dmarc.example.org', 'example.org'],
]
for (const [what, host, site] of hosts) {
  test(`${what}: ${host}`, () => {
    equal(siteOfHost(host), site)
    equal(Site.is(siteOfHost(host)), true)
  })
}

const domains: readonly (readonly [string, string | undefined])[] = [
  ['example.org', 'example.org'],
  ['  Example.ORG ', 'example.org'],
  ['www.example.org', 'example.org'],
  ['example.org.', 'example.org'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['www.straße.de', 'xn--strae-oqa.de'],
  ['name.github.io', 'name.github.io'],
  ['', undefined],
  ['.', undefined],
  ['..', undefined],
  ['com', undefined],
  ['co.uk', undefined],
  ['localhost', undefined],
  ['192.0.2.7', undefined],
  ['0x7f.1', undefined],
  ['2130706433', undefined],
  ['[2001:db8::7]', undefined],
  ['2001:db8::7', undefined],
  ['example.org:8443', undefined],
  ['example.org/path', undefined],
  ['https://example.org', undefined],
  ['user@example.org', undefined],
  ['exa mple.org', undefined],
  ['example.org\u0000', undefined],
  ['example..org', undefined],
  ['a!b.example', undefined],
  ['*.example.org', undefined],
  ['n/a', undefined],
  [`${'a'.repeat(64)}.org`, undefined],
  [`${'a.'.repeat(200)}org`, undefined],
]
for (const [domain, site] of domains) {
  test(`PR16: a list that says ${JSON.stringify(domain).slice(0, 40)} names ${site ?? 'no site'}`, () => {
    equal(siteOfDomain(domain), site)
  })
}

test('a site is in small letters and holds nothing that a stream name or a path would misread', () => {
  for (const wrong of ['', 'Example.org', 'a/b', 'a b', 'a?b', 'ü.example', 'a'.repeat(254)])
    equal(Site.is(wrong), false, wrong)
  for (const wrong of ['.', '..', '.a.example', 'a..example', 'a.example.', 'a:b', '[a', '[g::1]'])
    equal(Site.is(wrong), false, wrong)
})

test('hosts are addresses or names the DNS could have, with or without the dot of a full name', () => {
  for (const host of ['a', 'a.example', 'a.example.', 'a_b.example', '-.example', '[::1]'])
    equal(isHost(host), true, host)
  for (const host of ['', '.', '..', 'a..', '.a', 'a..b', 'a!b', 'A', '[::1', '[::1]:80'])
    equal(isHost(host), false, host)
  equal(isHost('a.'.repeat(127)), true)
  equal(isHost(`${'a.'.repeat(127)}a`), false)
})
