/** `test/conformance/go/verify.go`, built once, if this machine has Go and golang.org/x/mod. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

export const NO_GO =
  'NO GO HERE: what Go verifies was not tested (Debian: golang-go golang-golang-x-mod-dev)'

/** Where Debian's package of golang.org/x/mod puts it. */
const GOPATH = '/usr/share/gocode'

export type GoVerifier = (...args: readonly string[]) => {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export const goVerifier = (): GoVerifier | undefined => {
  if (!existsSync(join(GOPATH, 'src/golang.org/x/mod/sumdb/tlog'))) return undefined
  const directory = mkdtempSync(join(tmpdir(), 'go-verifier-'))
  after(() => rmSync(directory, { recursive: true, force: true }))
  const program = join(directory, 'verify')
  const source = join(import.meta.dirname, '../conformance/go/verify.go')
  const environment = {
    ...process.env,
    GO111MODULE: 'off',
    GOPATH,
    GOCACHE: join(directory, 'cache'),
  }
  const built = spawnSync('go', ['build', '-o', program, source], {
    env: environment,
    encoding: 'utf8',
  })
  if (built.error !== undefined) return undefined
  if (built.status !== 0) throw new Error(`go build: ${built.stderr}`)
  return (...args) => {
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
    return { code: status, out: stdout, err: stderr }
  }
}
