/** An operator has heads stamped, an auditor checks the evidence: commands, real sockets, openssl. */
import { equal, match, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { programOn } from '../support/program.ts'
import { NO_OPENSSL, timestampAuthority } from '../support/timestamp-authority.ts'

const tsa = timestampAuthority()

let directory = ''
const program = () => programOn(join(directory, 'data'), directory)

before(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'timestamp-e2e-')))
})
after(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))

/** Serves `listener` on a free port while `task` runs with its address. */
const serving = async (listener: RequestListener, task: (url: string) => Promise<void>) => {
  const server: Server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  ok(address !== null && typeof address === 'object')
  try {
    await task(`http://127.0.0.1:${address.port}/tsa`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const bodyOf = async (request: AsyncIterable<Buffer>): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

describe('timestamp', { skip: tsa === undefined ? NO_OPENSSL : false }, () => {
  const root = tsa?.root ?? ''
  const positions = async (): Promise<number> =>
    (await program().done('log', '--jsonl')).split('\n').length - 1

  test('before there is a head nothing is asked', async () => {
    await serving(
      () => ok(false, 'it was asked'),
      async (url) => {
        match(
          await program().refused(2, 'timestamp', '--tsa', url, '--tsa-ca', root),
          /there is no head here to stamp/,
        )
      },
    )
  })

  test('RFC3161_3.4: the newest head is stamped over HTTP, and evidence carries it', async () => {
    await program().done('exclude', 'one.example', '--by', 'A. Operator')
    const seen: (string | undefined)[] = []
    const listener: RequestListener = (request, response) => {
      void bodyOf(request).then((query) => {
        seen.push(request.method, request.headers['content-type'])
        response.setHeader('content-type', 'application/timestamp-reply')
        response.end(tsa?.reply(query))
      })
    }
    await serving(listener, async (url) => {
      match(
        await program().done('timestamp', '--tsa', url, '--tsa-ca', root),
        /^the head of 2 entries was there by 20\d\d-[-0-9:.T]+Z, says http:\/\/127\.0\.0\.1:\d+\/tsa\n$/,
      )
    })
    equal(seen.join(), 'POST,application/timestamp-query')
    match(await program().done('log'), /HeadTimestamped/)
    await program().done('evidence', '2', 'bundle')
    await writeFile(join(directory, 'policy.txt'), await program().done('keys', '--policy'))
    const check = ['check-evidence', 'bundle', '--policy', 'policy.txt']
    match(
      await program().done(...check),
      /a head with it, of 2 entries, was there by .* not checked/,
    )
    match(
      await program().done(...check, '--tsa-ca', root),
      /stamped: an authority that you trust saw a head with it, of 2 entries, by 20/,
    )
    const stranger = timestampAuthority()?.root ?? ''
    match(
      await program().refused(3, ...check, '--tsa-ca', stranger),
      /this time stamp proves nothing/,
    )
    await program().done('verify', '--full')
    await program().done('audit', 'completeness')
  })

  test('a rehearsal, whose clock is ahead, is stamped and gives evidence all the same', async () => {
    const rehearsal = programOn(join(directory, 'rehearsal'), directory)
    await rehearsal.done('open-log', '--clock', 'simulated:2099-01-01T00:00:00Z')
    const listener: RequestListener = (request, response) =>
      void bodyOf(request).then((query) => response.end(tsa?.reply(query)))
    await serving(listener, async (url) => {
      await rehearsal.done('timestamp', '--tsa', url, '--tsa-ca', root)
    })
    await rehearsal.done('evidence', '1', 'rehearsed')
    await writeFile(join(directory, 'rehearsed.txt'), await rehearsal.done('keys', '--policy'))
    const check = ['check-evidence', 'rehearsed', '--policy', 'rehearsed.txt', '--tsa-ca', root]
    match(
      await rehearsal.done(...check),
      /recorded as 2099-.*stamped: an authority that you trust/s,
    )
  })

  test('an authority that answers anything else is named with its fault, and nothing is recorded', async () => {
    const before = await positions()
    const replies: readonly (readonly [RequestListener, RegExp])[] = [
      [(_, response) => response.writeHead(503).end(), /answered with status 503/],
      [
        (_, response) => response.writeHead(302, { location: '/' }).end(),
        /answered with status 302/,
      ],
      [(_, response) => response.end('<html>no</html>'), /a time-stamp response/],
      [(_, response) => response.end(Buffer.alloc(200_000)), /longer than 30000 bytes/],
      [(_, response) => response.destroy(), /gave no time stamp/],
    ]
    for (const [listener, because] of replies)
      await serving(listener, async (url) => {
        const ended = await program().run('timestamp', '--tsa', url, '--tsa-ca', root)
        equal(ended.code, 4, ended.err)
        match(ended.err, because)
      })
    equal(await positions(), before)
    match(
      await program().refused(2, 'timestamp', '--tsa', 'ftp://x', '--tsa-ca', root),
      /--tsa takes an http or https address/,
    )
    match(
      await program().refused(
        2,
        'timestamp',
        '--tsa',
        'http://127.0.0.1:1/',
        '--tsa-ca',
        'policy.txt',
      ),
      /certificates in PEM form/,
    )
  })
})
