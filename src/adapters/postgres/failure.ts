/**
 * What went wrong between us and the database, in words of our own. The message of a database error
 * is never repeated: it may hold values of the statement, and a connection error the address.
 */
import { DatabaseError } from 'pg'
import { Defect } from '../../kernel/assert.ts'
import { E, type Either } from '../../kernel/fp.ts'
import type { Unavailable } from '../../ledger/port.ts'

/** SQLSTATE codes and classes (PostgreSQL, Appendix A) that say the database is not to be had. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^28/, 'it refuses the user or the password; check the database address'],
  [/^3D000$/, 'there is no such database; create it, or check the database address'],
  [
    /^42501$/,
    'the user lacks a privilege; connect as the owner of the database, or have it run schema/roles.sql',
  ],
  [/^25006$/, 'it is read-only (a standby?); connect to the primary'],
  [/^53100$/, 'its disk is full; free some space there'],
  [/^53200$/, 'it is out of memory'],
  [/^53300$/, 'it has too many connections; raise max_connections or end some'],
  [/^57014$/, 'a statement took too long and was cancelled'],
  [/^57P03$/, 'it is starting, recovering or shutting down; try again a little later'],
  [/^57P0/, 'it was shut down'],
  [/^55P03$/, 'a lock was not to be had in time'],
  [/^40/, 'the transaction was rolled back (deadlock or serialization)'],
  [/^(08|53|57|58|F0)/, 'it cannot do its work now; see its log'],
]

const SYSTEM: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there; start the server, or check the database address',
  ENOENT: 'there is no socket there; start the server, or check the database address',
  ENOTFOUND: 'there is no host of that name; check the database address',
  ETIMEDOUT: 'it does not answer',
}

/** Why, if `error` says that the database is not to be had; undefined if it says something else. */
const reasonOf = (error: Error): string | undefined => {
  const code = 'code' in error ? String(error.code) : undefined
  if (error instanceof DatabaseError) {
    const known = REASONS.find(([pattern]) => pattern.test(code ?? ''))?.[1]
    return known === undefined ? undefined : `${known} (SQLSTATE ${code})`
  }
  if (code !== undefined && 'syscall' in error)
    return `${SYSTEM[code] ?? 'the connection failed'} (${code})`
  if (code !== undefined && /^(E[A-Z]+|ERR_(TLS|SSL|SOCKET)\w*|[A-Z_]*CERT[A-Z_]*)$/.test(code))
    return `the connection failed (${code})`
  return CONNECTION_WORDS.test(error.message)
    ? 'the connection was lost or not made in time'
    : undefined
}

/** node-pg's own errors carry no code; these are the ones about connections. */
const CONNECTION_WORDS =
  /^(Connection terminated|Client has encountered a connection error|timeout expired|timeout exceeded when trying to connect|Client was closed|The server does not support SSL|Cannot use a pool after calling end|SASL|server closed)/

/**
 * `error` as Unavailable. Anything that says a statement of ours was wrong, or that the database
 * holds what it cannot hold, is no answer of a port: it is thrown, with its code and nothing more.
 */
export const unavailableBecause = (place: string, error: unknown): Unavailable => {
  const reason = error instanceof Error ? reasonOf(error) : undefined
  if (reason !== undefined)
    return { tag: 'Unavailable', because: `the database ${place}: ${reason}` }
  throw defectOf(error)
}

/** Runs a query; a failure of the database comes as Unavailable, whatever else goes wrong is thrown. */
export const reaching =
  ({ place }: { readonly place: string }) =>
  <L, A>(task: () => Promise<Either<L, A>>) =>
  async (): Promise<Either<L | Unavailable, A>> => {
    try {
      return await task()
    } catch (error) {
      return E.left(unavailableBecause(place, error))
    }
  }

const defectOf = (error: unknown): unknown => {
  if (!(error instanceof DatabaseError)) return error
  const { code, constraint, table, routine } = error
  const where = [constraint, table, routine].filter((part) => part !== undefined).join(', ')
  return new Defect(`the database refused a statement: SQLSTATE ${code} (${where})`)
}

/** SQLSTATE 23505: a row with that key is there already. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === '23505'
