/**
 * A certificate authority that lives in memory for one rehearsal or test: EC P-256, SHA-256. What it
 * issues is as real to a TLS client as any other certificate, once the client trusts its root.
 */
// oxlint-disable-next-line import/no-unassigned-import -- @peculiar/x509 needs the global it installs
import 'reflect-metadata'
import { randomBytes, webcrypto } from 'node:crypto'
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const
const DAY_MS = 86_400_000

export type Authority = {
  /** The root certificate: what `--ca` takes. */
  readonly certPem: string
  readonly certificate: X509Certificate
  readonly keys: webcrypto.CryptoKeyPair
}

/** A server's certificate and private key (PKCS #8), both PEM. */
export type Issued = { readonly certPem: string; readonly keyPem: string }

/** Real moments, whatever clock a rehearsal uses: TLS clients check against the system's clock. */
export type Validity = { readonly notBefore: Date; readonly notAfter: Date }

export const currentValidity = (): Validity => ({
  notBefore: new Date(Date.now() - DAY_MS),
  notAfter: new Date(Date.now() + 30 * DAY_MS),
})

/** Ended an hour ago: for servers that forgot to renew. */
export const expiredValidity = (): Validity => ({
  notBefore: new Date(Date.now() - 30 * DAY_MS),
  notAfter: new Date(Date.now() - 3_600_000),
})

const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])

/** RFC 5280 §4.1.2.2: positive, at most 20 octets, unique per authority. */
const serialNumber = (): string => `01${randomBytes(15).toString('hex')}`

export const makeAuthority = async (name = 'Rehearsal Authority'): Promise<Authority> => {
  const keys = await newKeys()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: `CN=${name}`,
    ...currentValidity(),
    signingAlgorithm: SIGNING,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certPem: certificate.toString('pem'), certificate, keys }
}

/** A server certificate for `hostNames` (DNS names, `*.` allowed), signed by `authority`. */
export const issue = async (
  authority: Authority,
  hostNames: readonly [string, ...string[]],
  validity: Validity = currentValidity(),
): Promise<Issued> => {
  const keys = await newKeys()
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    // The name a client checks stands in subjectAltName alone (RFC 9110 §4.3.4); CN is for people.
    subject: `CN=${hostNames[0].slice(0, 64)}`,
    issuer: authority.certificate.subject,
    ...validity,
    signingAlgorithm: SIGNING,
    publicKey: keys.publicKey,
    signingKey: authority.keys.privateKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(hostNames.map((value) => ({ type: 'dns', value }))),
    ],
  })
  return { certPem: certificate.toString('pem'), keyPem: await privateKeyPem(keys.privateKey) }
}

const privateKeyPem = async (key: webcrypto.CryptoKey): Promise<string> => {
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64')
  const lines = pkcs8.match(/.{1,64}/g) ?? []
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n')
}
