import { X509Certificate } from 'node:crypto'
import { parseFailure, type ParseFailure } from '../../kernel/codec.ts'
import { E, type Either } from '../../kernel/fp.ts'

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

const isCertificate = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

/**
 * Checks what `--ca` names: one or more certificates as PEM, other text around them ignored. TLS
 * itself takes anything and then trusts nothing, which would look like every site's fault.
 */
export const parseAuthority = (file: string, source: string): Either<ParseFailure, string> => {
  const certificates = source.match(CERTIFICATE) ?? []
  return certificates.length > 0 && certificates.every(isCertificate)
    ? E.right(certificates.join('\n'))
    : E.left(parseFailure(file, 'certificates in PEM form (BEGIN CERTIFICATE)'))
}
