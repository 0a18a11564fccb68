/** How this program connects to PostgreSQL: as whom, and with which settings pinned. */
import { type ClientConfig, TypeOverrides, types } from 'pg'
import { assert } from '../../kernel/assert.ts'
import { E, type Either } from '../../kernel/fp.ts'
import type { Unavailable } from '../../ledger/port.ts'

/** Where the database is: a `postgresql://` address, or the socket of the embedded server. */
export type Settings =
  | { readonly url: string }
  | {
      /** A host name, or the directory of a Unix socket. */
      readonly host: string
      readonly port: number
      readonly user: string
      readonly database: string
    }

/** `schema/roles.sql`: after the set-up nothing works with more rights than one of these gives. */
export type Role = 'crawl_ledger_writer' | 'crawl_ledger_projector'

const CONNECT_PATIENCE_MS = 10_000

/**
 * Settings of each of our sessions, whatever the server's own are: what the ledger's order and the
 * readers' answers rest on must not depend on how a server is configured.
 */
const PINNED = {
  default_transaction_isolation: 'read committed',
  search_path: 'public',
  timezone: 'UTC',
  // A session that forgot its transaction must not keep everybody from vacuuming, or from the lock.
  idle_in_transaction_session_timeout: '60s',
}

/** `-c name=value …`, blanks escaped: the server applies it as the session starts. */
const optionsOf = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\ ]/g, '\\$&')}`)
    .join(' ')

/** The one place where a bigint column becomes a number: one that is not safe is a defect. */
const safeInteger = (text: string): number => {
  const value = Number(text)
  assert(Number.isSafeInteger(value), 'a bigint of the database is not a safe integer')
  return value
}

const parsers = new TypeOverrides()
parsers.setTypeParser(types.builtins.INT8, safeInteger)

/** What node-pg needs to connect to `settings` as `role` (undefined: as the user who logs in). */
export const connectionOf = (
  settings: Settings,
  role: Role | undefined,
  session: Readonly<Record<string, string>> = {},
): ClientConfig => {
  const options = optionsOf({ ...PINNED, ...session, ...(role === undefined ? {} : { role }) })
  const common = {
    application_name: 'crawl-ledger',
    connectionTimeoutMillis: CONNECT_PATIENCE_MS,
    keepAlive: true,
    types: parsers,
  }
  if (!('url' in settings)) return { ...common, ...settings, options }
  const url = parsed(settings.url)
  // What the address itself asks for comes first, so that it cannot undo what is pinned.
  url.searchParams.set('options', `${url.searchParams.get('options') ?? ''} ${options}`.trim())
  return { ...common, connectionString: url.href }
}

/** The database in words, for messages: never the user's password. */
export const placeOf = (settings: Settings): string => {
  if (!('url' in settings)) return `${settings.host}/${settings.database}`
  const { host, pathname, searchParams } = parsed(settings.url)
  return `${searchParams.get('host') ?? (host === '' ? 'localhost' : decodeURIComponent(host))}${pathname}`
}

/** Refuses an address that is none, without repeating it: it may hold a password. */
export const checkSettings = (settings: Settings): Either<Unavailable, Settings> =>
  !('url' in settings) || isPostgresUrl(settings.url)
    ? E.right(settings)
    : E.left({
        tag: 'Unavailable',
        because:
          'the database address is not one of PostgreSQL; write postgresql://user:password@host:5432/database',
      })

const isPostgresUrl = (url: string): boolean => {
  try {
    return /^postgres(ql)?:$/.test(parsed(url).protocol)
  } catch {
    return false
  }
}

/** PostgreSQL also allows `user@/database`: a host that is left out, or named in the query. */
const parsed = (url: string): URL =>
  new URL(url.replace(/^([a-z]+:\/\/[^/?#]*@)(?=\/)/, '$1localhost'))
