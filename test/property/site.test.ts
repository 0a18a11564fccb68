import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { Site, siteOfDomain, siteOfHost } from '../../src/kernel/site.ts'
import { siteStream, StreamName } from '../../src/ledger/stream.ts'
import { anyHost, anyText } from '../support/arbitraries/kernel.ts'
import { fc } from '../support/property.ts'

test('the site of a site is itself', () => {
  fc.assert(fc.property(anyHost, (host) => equal(siteOfHost(siteOfHost(host)), siteOfHost(host))))
})

test('a host and all hosts below it are one site, unless the suffix list parts them', () => {
  const below = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)
  fc.assert(
    fc.property(fc.domain(), below, (domain, label) => {
      const site = siteOfHost(domain)
      const inside = siteOfHost(`${label}.${domain}`)
      ok(inside === site || inside === `${label}.${site}`, `${inside} below ${site}`)
    }),
  )
})

test('a dot at the end of a host name makes no other site', () => {
  fc.assert(
    fc.property(fc.domain(), (domain) => equal(siteOfHost(`${domain}.`), siteOfHost(domain))),
  )
})

test('whatever a seller list calls a domain is a site that names a stream, or nothing', () => {
  fc.assert(
    fc.property(fc.oneof(anyText(80), fc.domain(), anyHost), (domain) => {
      const site = siteOfDomain(domain)
      if (site === undefined) return
      ok(Site.is(site), site)
      ok(StreamName.is(siteStream(site)))
      equal(siteOfDomain(site), site)
    }),
  )
})
