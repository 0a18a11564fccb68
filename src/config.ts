/** Environment and common flags, parsed once. Nothing else reads `process.env`. */
import { resolve } from 'node:path'
import { parseInstant, type Instant } from './kernel/instant.ts'
import { E } from './kernel/fp.ts'
import { Halt } from './shell/halt.ts'

export type Config = {
  /** Absolute path: key, embedded database and bodies live here. */
  readonly data: string
  /** A PostgreSQL server to use instead of the embedded one. */
  readonly databaseUrl: string | undefined
  /** `HOST[:PORT]=ADDR:PORT`, as given. */
  readonly resolve: readonly string[]
  readonly resolveFiles: readonly string[]
  /** Files with further certificate authorities, PEM. */
  readonly authorities: readonly string[]
  readonly clock: 'system' | { readonly simulatedFrom: Instant | undefined }
  /** The name of the log, given when it is opened for the first time. */
  readonly origin: string | undefined
  readonly debug: boolean
}

/** The flags every command takes. */
export type CommonFlags = {
  readonly data?: string
  readonly resolve?: readonly string[]
  readonly resolveFile?: readonly string[]
  readonly ca?: readonly string[]
  readonly clock?: string
  readonly origin?: string
  readonly debug?: boolean
}

export const configOf = (
  flags: CommonFlags,
  environment: { readonly [name: string]: string | undefined },
): Config => ({
  data: resolve(flags.data ?? environment['CRAWL_LEDGER_DATA'] ?? '.crawl-ledger'),
  databaseUrl: environment['CRAWL_LEDGER_DATABASE_URL'] || undefined,
  resolve: flags.resolve ?? [],
  resolveFiles: flags.resolveFile ?? [],
  authorities: flags.ca ?? [],
  clock: clockOf(flags.clock ?? 'system'),
  origin: flags.origin,
  debug: flags.debug ?? false,
})

const clockOf = (given: string): Config['clock'] => {
  if (given === 'system') return 'system'
  const [kind, ...start] = given.split(':')
  if (kind !== 'simulated') {
    throw new Halt({
      tag: 'WrongUse',
      because: `--clock takes system or simulated[:START], not ${given}`,
    })
  }
  if (start.length === 0) return { simulatedFrom: undefined }
  const parsed = parseInstant('--clock simulated:START', start.join(':'))
  if (E.isLeft(parsed)) throw new Halt(parsed.left)
  return { simulatedFrom: parsed.right }
}
