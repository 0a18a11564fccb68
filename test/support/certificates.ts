/** The certificate maker of the rehearsal web serves the tests as well; here is what only they need. */
import { webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
// First: it loads the metadata library that @peculiar/x509 cannot begin without.
import { currentValidity, type Issued } from '../../scripts/rehearsal/certificates.ts'
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509'

export {
  expiredValidity,
  issue,
  type Issued,
  makeAuthority,
} from '../../scripts/rehearsal/certificates.ts'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const

/** PKCS #8 as PEM. */
export const privateKeyPem = async (key: webcrypto.CryptoKey): Promise<string> => {
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64')
  const lines = pkcs8.match(/.{1,64}/g) ?? []
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n')
}

/** A server that vouches for itself: by name, or by address without brackets. */
export const selfSigned = async (host: string): Promise<Issued> => {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=itself',
    ...currentValidity(),
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    keys,
    extensions: [
      new SubjectAlternativeNameExtension([{ type: isIP(host) === 0 ? 'dns' : 'ip', value: host }]),
    ],
  })
  return {
    certPem: certificate.toString('pem'),
    keyPem: await privateKeyPem(keys.privateKey),
  }
}
