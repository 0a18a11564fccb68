/**
 * The rehearsal web: invented publishers and ad networks, well-behaved and not, as real HTTP and
 * HTTPS servers on 127.0.0.1. README.md has the table of what each of them does. The same seed
 * makes the same texts; keys, ports and the order of connections are the machine's.
 */
import { createSecureContext } from 'node:tls'
import { present } from '../../src/kernel/assert.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import { type AccessLine, accessLog, type ConnectionLine } from './access-log.ts'
import { CATALOGUE } from './catalogue/index.ts'
import {
  type Authority,
  expiredValidity,
  issue,
  type Issued,
  makeAuthority,
} from './certificates.ts'
import { type ClosedPort, holdClosedPort } from './closed-port.ts'
import { secretOf } from './content.ts'
import { type Doors, doors, type Premises } from './doors.ts'
import { type Network, networkHosts, NETWORKS } from './networks.ts'
import { type Publisher, publisher } from './publisher.ts'
import { bare } from './reply.ts'

export type { AccessLine, ConnectionLine } from './access-log.ts'

export type RehearsalWebOptions = {
  readonly clock: Clock
  readonly seed: number
  /** The publishers of this web; the whole catalogue if left out. */
  readonly publishers?: readonly Publisher[]
  readonly realDelays?: {
    /** Real milliseconds from byte to byte where a body drips; 100 if left out. */
    readonly dripEveryMs?: number
  }
}

export type RehearsalWeb = {
  /** `HOST:PORT=127.0.0.1:PORT`, as `--resolve` takes them: two for each host. */
  readonly resolveRules: readonly string[]
  /** Two more, for every other host: they lead to a server that logs as host `*` who comes. */
  readonly trapRules: readonly string[]
  /** The root certificate that a client must trust, as `--ca` takes it. */
  readonly authorityPem: string
  /** The networks' sellers.json addresses, for a source list. */
  readonly networks: readonly Network[]
  /** All requests so far, in the order of arrival. */
  readonly log: () => readonly AccessLine[]
  /** All connections so far, also those on which no request came. */
  readonly connections: () => readonly ConnectionLine[]
  /** Strings of the homepages, their ETags and cookies: none may ever stand on a disk (PR12). */
  readonly secrets: readonly string[]
  /** Begins the night with this index, counted from 0. A new web is in its first night. */
  readonly startNight: (index: number) => void
  readonly close: () => Promise<void>
}

const DRIP_EVERY_MS = 100

/** Where every host leads that the web does not have. */
const TRAP = publisher({
  host: '*',
  about: 'Every other host.',
  listed: false,
  robots: () => bare(404),
})

export const startRehearsalWeb = async (options: RehearsalWebOptions): Promise<RehearsalWeb> => {
  const { clock, seed, publishers = CATALOGUE, realDelays } = options
  const hosts = [...publishers, ...networkHosts(publishers)]
  const authority = await makeAuthority()
  const log = accessLog(clock.now)
  let night = 1
  const rooms = doors({
    log,
    contexts: await contextsFor(authority, hosts),
    now: clock.now,
    night: () => night,
    seed,
    dripEveryMs: realDelays?.dripEveryMs ?? DRIP_EVERY_MS,
  })
  const closed = await holdClosedPort()
  const rules = await Promise.all(hosts.map((host) => openHost(rooms, closed, host)))
  return {
    resolveRules: rules.flat(),
    trapRules: await openHost(rooms, closed, TRAP),
    authorityPem: authority.certPem,
    networks: NETWORKS,
    log: log.lines,
    connections: log.connections,
    secrets: hosts.map(({ host }) => secretOf(seed, host)),
    startNight: (index) => void (night = index + 1),
    close: async () => {
      await Promise.all([rooms.close(), closed.release()])
    },
  }
}

const openHost = async (
  rooms: Doors,
  closed: ClosedPort,
  publisher: Publisher,
): Promise<readonly string[]> => {
  const portFor = (scheme: 'http' | 'https'): number | Promise<number> =>
    publisher.listens ? rooms.open(publisher, scheme) : closed.port
  return [
    `${publisher.host}:80=127.0.0.1:${await portFor('http')}`,
    `${publisher.host}:443=127.0.0.1:${await portFor('https')}`,
  ]
}

/** One certificate holds the names of all hosts: what they differ in is whether it is good. */
const contextsFor = async (
  authority: Authority,
  hosts: readonly Publisher[],
): Promise<Premises['contexts']> => {
  const [first, ...others] = hosts.map(({ host }) => host)
  const names = [present(first, 'a web without hosts'), ...others] as const
  const contextOf = ({ certPem, keyPem }: Issued) =>
    createSecureContext({ cert: certPem, key: keyPem })
  return {
    valid: contextOf(await issue(authority, names)),
    expired: contextOf(await issue(authority, names, expiredValidity())),
    'wrong-name': contextOf(await issue(authority, ['somebody-else.example'])),
  }
}
