/** One TLS server on loopback that answers for every host of a corpus. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { siteOfDomain, type Site } from '../../src/kernel/site.ts'
import { type Authority, issue, makeAuthority } from '../rehearsal/certificates.ts'
import type { Corpus } from './load.ts'

export type CorpusWeb = {
  readonly port: number
  readonly authorityPem: string
  readonly networks: readonly { readonly id: string; readonly url: string }[]
  /** Every request, as `host path`. */
  readonly asked: () => readonly string[]
  readonly close: () => Promise<void>
}

/** The network that names all the hosts of the robots.txt and ads.txt files. */
const HOSTS_NETWORK = 'network-of-all-hosts.example'

export const serveCorpus = async (corpus: Corpus): Promise<CorpusWeb> => {
  const authority = await makeAuthority()
  const contextOf = contextsOf(authority)
  const asked: string[] = []
  const server = createServer(
    {
      SNICallback: (host, done) => {
        contextOf(host).then(
          (context) => done(null, context),
          (error: Error) => done(error),
        )
      },
    },
    (request, response) => {
      asked.push(`${request.headers.host} ${request.url}`)
      answer(corpus, request, response)
    },
  )
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  // `listen` on a TCP port always gives an AddressInfo.
  const { port } = server.address() as AddressInfo
  const hosts = [...corpus.sellers.map(({ host }) => host), HOSTS_NETWORK]
  return {
    port,
    authorityPem: authority.certPem,
    networks: hosts.map((host) => ({ id: host, url: `https://${host}/sellers.json` })),
    asked: () => asked,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

/** A certificate for every host name, made when it is first asked for. */
const contextsOf = (authority: Authority): ((host: string) => Promise<SecureContext>) => {
  const contexts = new Map<string, Promise<SecureContext>>()
  return (host) => {
    const known = contexts.get(host)
    if (known !== undefined) return known
    const made = issue(authority, [host]).then(({ certPem, keyPem }) =>
      createSecureContext({ cert: certPem, key: keyPem }),
    )
    contexts.set(host, made)
    return made
  }
}

const answer = (corpus: Corpus, request: IncomingMessage, response: ServerResponse): void => {
  const host = request.headers.host ?? ''
  const file = fileFor(corpus, host, request.url ?? '/')
  if (file === undefined)
    response.writeHead(404, { 'content-type': 'text/plain' }).end('not here\n')
  else response.writeHead(200, { 'content-type': file.type }).end(file.bytes)
}

type Served = { readonly type: string; readonly bytes: Buffer }

const fileFor = (corpus: Corpus, host: string, path: string): Served | undefined => {
  if (path === '/sellers.json') {
    const bytes =
      host === HOSTS_NETWORK
        ? sellersOfAllHosts(corpus)
        : corpus.sellers.find((network) => network.host === host)?.bytes
    return bytes === undefined ? undefined : { type: 'application/json', bytes }
  }
  const site = siteOfDomain(host)
  if (site === undefined) return undefined
  return textFor(corpus, site, path)
}

const textFor = (corpus: Corpus, site: Site, path: string): Served | undefined => {
  if (path === '/') return { type: 'text/html', bytes: Buffer.from('<title>A page</title>') }
  const files = { '/robots.txt': corpus.robots, '/ads.txt': corpus.adsTxt }[path]
  const bytes = files?.get(site)?.bytes
  return bytes === undefined ? undefined : { type: 'text/plain; charset=utf-8', bytes }
}

const sellersOfAllHosts = ({ robots, adsTxt }: Corpus): Buffer => {
  const sites = [...new Set([...robots.keys(), ...adsTxt.keys()])]
  const sellers = sites.map((domain, index) => ({
    seller_id: String(index + 1),
    seller_type: 'PUBLISHER',
    name: domain,
    domain,
  }))
  return Buffer.from(JSON.stringify({ version: '1.0', sellers }))
}
