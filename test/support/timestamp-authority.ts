/** A time-stamping authority of our own: `openssl ts -reply` with keys made for the test. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

const CONFIGURATION = `
[ req ]
distinguished_name = dn
[ dn ]
[ root ]
basicConstraints = critical,CA:true
keyUsage = critical,keyCertSign
[ signer ]
basicConstraints = critical,CA:false
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
[ tsa ]
serial = ./serial
signer_cert = ./signer.pem
signer_key = ./signer.key
signer_digest = sha256
default_policy = 1.2.3.4.1
other_policies = 1.2.3.4.2
digests = sha256
clock_precision_digits = 3
ess_cert_id_alg = sha256
`

export type TimestampAuthority = {
  /** Its root certificate, a PEM file. */
  readonly root: string
  /** The reply to a query, both in DER. */
  readonly reply: (query: Buffer) => Buffer
}

/** undefined where there is no openssl. */
export const timestampAuthority = (): TimestampAuthority | undefined => {
  const directory = mkdtempSync(join(tmpdir(), 'tsa-'))
  after(() => rmSync(directory, { recursive: true, force: true }))
  const file = (name: string): string => join(directory, name)
  writeFileSync(file('tsa.cnf'), CONFIGURATION)
  writeFileSync(file('serial'), '01')
  const openssl = (line: string): boolean => {
    const { status, error, stderr } = spawnSync('openssl', line.split(' '), {
      cwd: directory,
      encoding: 'utf8',
    })
    if (status !== 0 && error === undefined) throw new Error(`openssl ${line}: ${stderr}`)
    return status === 0
  }
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config tsa.cnf'
  const isThere = openssl(
    `req -x509 ${key} -keyout root.key -out root.pem -subj /CN=root -days 30 -extensions root`,
  )
  if (!isThere) return undefined
  openssl(`req ${key} -keyout signer.key -out signer.csr -subj /CN=signer`)
  openssl(
    'x509 -req -in signer.csr -CA root.pem -CAkey root.key -set_serial 2 -days 30 -out signer.pem -extfile tsa.cnf -extensions signer',
  )
  return {
    root: file('root.pem'),
    reply: (query) => {
      writeFileSync(file('query'), query)
      openssl('ts -reply -queryfile query -out reply -config tsa.cnf -section tsa')
      return readFileSync(file('reply'))
    },
  }
}

export const NO_OPENSSL = 'NO OPENSSL HERE: time stamps were not tested'
