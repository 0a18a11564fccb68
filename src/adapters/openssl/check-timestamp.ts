import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { E, type Either } from '../../kernel/fp.ts'
import { clip } from '../../kernel/text.ts'
import type { Unavailable } from '../../ledger/port.ts'
import type { CheckTimestamp, TimestampRefused } from '../../ledger/tlog/port.ts'

const TIMEOUT_MS = 20_000

/**
 * `openssl ts -verify`: the signature, the certificates up to one of `authorities` (a PEM file) and
 * their purpose, and that the hash is of this text. Whoever gets the evidence has the same judge.
 * Certificates are judged as of the moment of the stamp, which outlives them.
 */
export const opensslTimestamps =
  (authorities: string): CheckTimestamp =>
  ({ text, reply, time }) =>
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'timestamp-'))
    try {
      const [head, response] = [join(directory, 'head'), join(directory, 'reply')]
      await Promise.all([writeFile(head, text), writeFile(response, reply)])
      const files = ['-data', head, '-in', response, '-CAfile', authorities]
      return await verified([...files, '-attime', String(Math.floor(time / 1_000))])
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  }

const verified = (args: readonly string[]): Promise<Either<Unavailable | TimestampRefused, void>> =>
  new Promise((resolve) => {
    const options = { timeout: TIMEOUT_MS, env: { ...process.env, LC_ALL: 'C' } }
    execFile('openssl', ['ts', '-verify', ...args], options, (error, stdout, stderr) => {
      if (error === null && /^Verification: OK$/m.test(stdout)) return resolve(E.right(undefined))
      const isAbsent = error !== null && (error.code === 'ENOENT' || error.killed === true)
      resolve(E.left(isAbsent ? NO_OPENSSL : refused(stderr)))
    })
  })

const NO_OPENSSL: Unavailable = {
  tag: 'Unavailable',
  because: 'a time stamp is checked with openssl 3, which is not to be had here',
}

/** The last of openssl’s reasons: `id:error:code:library:function:reason:file:line:more`. */
const refused = (stderr: string): TimestampRefused => {
  const [, , , , , reason = 'no reason', , , more = ''] =
    (stderr.match(/^.*:error:.*$/gm) ?? []).at(-1)?.split(':') ?? []
  const because = more === '' ? reason : `${reason}: ${more}`
  return { tag: 'TimestampRefused', because: clip(because, 200) }
}
