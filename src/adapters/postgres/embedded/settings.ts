/**
 * How the embedded server runs. Every setting is given on its command line at each start, so that
 * neither an edited postgresql.conf nor ALTER SYSTEM can weaken one of these.
 */

/** The only superuser of the cluster, and the database that holds the ledger. */
export const CLUSTER_USER = 'crawl_ledger'
export const LEDGER_DATABASE = 'crawl_ledger'
/** There is no TCP port: the number is only the ending of the socket's file name. */
export const SOCKET_PORT = 5432

const DURABLE = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
}

const SMALL = {
  max_connections: '100',
  shared_buffers: '128MB',
  work_mem: '16MB',
  maintenance_work_mem: '64MB',
  max_wal_size: '512MB',
  // An old segment that is used again under a new name keeps its bytes, also those of erased bodies.
  wal_recycle: 'off',
  // Containers that promise huge pages and have none end the server with a bus error.
  huge_pages: 'off',
  // A query of a client that was killed ends soon, not when it is finished.
  client_connection_check_interval: '5s',
}

/**
 * `log_min_messages = log` leaves out WARNING and ERROR: their texts repeat values of the statement
 * (`invalid input syntax for type integer: "…"`). `terse` leaves out DETAIL, which names key values
 * and, after a crash, the statement. The client still gets all of it.
 */
const SILENT_ABOUT_CONTENT = {
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_statement: 'none',
  log_min_duration_statement: '-1',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  log_checkpoints: 'off',
  log_autovacuum_min_duration: '-1',
  log_line_prefix: '%m [%p] ',
  log_timezone: 'UTC',
  logging_collector: 'off',
}

const settings = (socketDirectory: string): Readonly<Record<string, string>> => ({
  ...DURABLE,
  ...SMALL,
  ...SILENT_ABOUT_CONTENT,
  timezone: 'UTC',
  listen_addresses: '',
  port: String(SOCKET_PORT),
  unix_socket_directories: quotedDirectory(socketDirectory),
  unix_socket_permissions: '0700',
})

/** The setting is a comma-separated list: quotes keep a comma or a blank in the path one item. */
const quotedDirectory = (path: string): string => `"${path.replaceAll('"', '""')}"`

/** Arguments of `postgres` for the cluster at `cluster`. */
export const serverArguments = (cluster: string, socketDirectory: string): readonly string[] => [
  '-D',
  cluster,
  ...Object.entries(settings(socketDirectory)).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]),
]

/**
 * Arguments of `initdb`. `trust` lets in whoever can open the socket; the socket stands in a
 * directory only the owner of the data files can enter, who could read those files anyway.
 */
export const initdbArguments = (directory: string): readonly string[] => [
  '-D',
  directory,
  '--username',
  CLUSTER_USER,
  '--encoding=UTF8',
  '--locale=C',
  '--data-checksums',
  '--auth-local=trust',
  '--auth-host=reject',
  '--no-instructions',
  '--set=huge_pages=off',
]

/** Arguments of a one-user `postgres` that reads statements from its standard input. */
export const singleUserArguments = (directory: string): readonly string[] => [
  '--single',
  '-D',
  directory,
  '-c',
  'exit_on_error=on',
  'postgres',
]
