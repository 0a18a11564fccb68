import tls from 'node:tls'

/** Trust for verified TLS: the built-in authorities and those given, as PEM. */
export const secureContextFor = (authorities: readonly string[]): tls.SecureContext =>
  tls.createSecureContext({
    ca: [...tls.getCACertificates('default'), ...authorities],
    // RFC 8996. Said outright, since NODE_OPTIONS=--tls-min-v1.0 would change the default.
    minVersion: 'TLSv1.2',
  })
