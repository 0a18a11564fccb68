import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAuthority } from '../../../../src/adapters/http/authority.ts'
import { describeParseFailure } from '../../../../src/kernel/codec.ts'
import { makeAuthority } from '../../../support/certificates.ts'
import { left, right } from '../../../support/either.ts'

const [one, two] = await Promise.all([makeAuthority('One'), makeAuthority('Two')])

test('--ca: one certificate or several, with text around them', () => {
  assert.equal(right(parseAuthority('ca.pem', one.certPem)), one.certPem.trim())
  const bundle = `# One\n${one.certPem}\n# Two\n${two.certPem}\n`
  assert.equal(
    right(parseAuthority('ca.pem', bundle)),
    `${one.certPem.trim()}\n${two.certPem.trim()}`,
  )
})

test('--ca: what holds no certificate, or a broken one, is refused by name', () => {
  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
  for (const source of ['', 'garbage', broken, one.certPem + broken])
    assert.match(
      describeParseFailure(left(parseAuthority('ca.pem', source))),
      /^ca\.pem: expected certificates in PEM form/,
    )
})
