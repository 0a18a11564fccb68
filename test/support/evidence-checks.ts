/** Evidence as others check it: by hand with a shell and openssl, and with every bit changed once. */
import { ok } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { E } from '../../src/kernel/fp.ts'
import { checkEvidence } from '../../src/publish/check-evidence.ts'
import type { Policy } from '../../src/publish/policy.ts'

/** The indented lines of README.txt, run as they stand by the plainest shell there is. */
export const byHand = async (directory: string): Promise<readonly string[]> => {
  const readme = await readFile(join(directory, 'README.txt'), 'utf8')
  const commands = readme.split('\n').filter((line) => line.startsWith('    '))
  const { stdout } = spawnSync('sh', ['-c', commands.join('\n')], {
    cwd: directory,
    encoding: 'utf8',
  })
  return stdout.split('\n').filter((line) => /^(OK|FALSE)/.test(line))
}

/** How many bits there were. */
export const everyBitCounts = (bundle: ReadonlyMap<string, Buffer>, policy: Policy): number => {
  let bits = 0
  for (const [name, bytes] of bundle) {
    if (name === 'README.txt') continue
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const altered = Buffer.from(bytes)
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      const checked = checkEvidence(new Map(bundle).set(name, altered), policy)
      ok(E.isLeft(checked), `bit ${bit} of ${name} does not count`)
      bits += 1
    }
    for (const cut of [
      bytes.subarray(1),
      bytes.subarray(0, -1),
      Buffer.concat([bytes, Buffer.of(10)]),
    ])
      ok(E.isLeft(checkEvidence(new Map(bundle).set(name, cut), policy)), name)
  }
  return bits
}
