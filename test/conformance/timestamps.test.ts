/** RFC 3161: a stamp over a head convinces us, openssl and a shell; anything else is refused. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { opensslTimestamps } from '../../src/adapters/openssl/check-timestamp.ts'
import { present } from '../../src/kernel/assert.ts'
import { E } from '../../src/kernel/fp.ts'
import { parseHttpUrl } from '../../src/kernel/url.ts'
import type { HeadTimestamped } from '../../src/ledger/events/log/head-timestamped.ts'
import { checkEvidence } from '../../src/publish/check-evidence.ts'
import { parsePolicy } from '../../src/publish/policy.ts'
import { parseTimestamp, timestampQuery } from '../../src/publish/timestamp.ts'
import { timestampHead } from '../../src/shell/tlog/timestamp.ts'
import { right } from '../support/either.ts'
import { RUN } from '../support/ledgers.ts'
import { fc } from '../support/property.ts'
import { filesIn, type PublishedLog, publishedLog } from '../support/published-log.ts'
import { NO_OPENSSL, timestampAuthority } from '../support/timestamp-authority.ts'

const tsa = timestampAuthority()
const stranger = timestampAuthority()
const skip = tsa === undefined || stranger === undefined ? NO_OPENSSL : false
const authority = right(parseHttpUrl('https://tsa.example/stamp'))
const nonce = Buffer.from('4122334455667788', 'hex')

type Answer = (query: Buffer) => Buffer

const stamped = (log: PublishedLog, root: string, answer: Answer): Promise<HeadTimestamped> =>
  timestampHead(
    {
      ledger: log.ledger,
      post: async (_, { body }) => ({
        tag: 'Answer',
        status: 200,
        body: answer(body),
        truncated: false,
      }),
      check: opensslTimestamps(root),
    },
    log.seal,
    { run: RUN, authority, nonce, stop: new AbortController().signal },
  )

/** What README.txt says when it is entered as it stands. */
const byHand = async (directory: string, root: string): Promise<readonly string[]> => {
  const readme = await readFile(join(directory, 'README.txt'), 'utf8')
  const commands = readme.split('\n').filter((line) => line.startsWith('    '))
  const { stdout } = spawnSync('sh', ['-c', commands.join('\n')], {
    cwd: directory,
    encoding: 'utf8',
    env: { ...process.env, TSA_ROOT: root },
  })
  return stdout.split('\n').filter((line) => /^(OK|FALSE|NOT CHECKED)/.test(line))
}

test(
  'RFC3161_2.4: a stamped head dates every event before it, for us and for a shell',
  { skip },
  async (t) => {
    ok(tsa !== undefined && stranger !== undefined)
    const log = await publishedLog(t)
    const policy = right(parsePolicy('policy', await log.policy()))
    const early = await filesIn(await log.evidence(6))
    equal(right(checkEvidence(early, policy)).stamp, null)
    const event = await stamped(log, tsa.root, tsa.reply)
    await log.append(10)
    await log.seal()
    for (const position of [1, 307, 621]) {
      const directory = await log.evidence(position)
      const bundle = await filesIn(directory)
      const stamp = present(right(checkEvidence(bundle, policy)).stamp, 'a stamp')
      deepEqual([stamp.size, stamp.time], [621, event.time])
      right(await opensslTimestamps(tsa.root)(stamp)())
      ok(E.isLeft(await opensslTimestamps(stranger.root)(stamp)()))
      const said = await byHand(directory, tsa.root)
      ok(
        said.some((line) => line.startsWith('OK: the authority saw that head by 20')),
        said.join('\n'),
      )
      deepEqual(
        said.filter((line) => !line.startsWith('OK')),
        [],
      )
      match((await byHand(directory, stranger.root)).at(-1) ?? '', /^FALSE: the authority/)
      match((await byHand(directory, '')).at(-1) ?? '', /^NOT CHECKED/)
    }
    // What came after the stamped head is not dated by it.
    equal(right(checkEvidence(await filesIn(await log.evidence(622)), policy)).stamp, null)
    await log.close()
  },
)

test(
  'RFC3161_2.4.2: a reply that is none, another’s, or to another query is not recorded',
  { skip },
  async (t) => {
    ok(tsa !== undefined && stranger !== undefined)
    const log = await publishedLog(t)
    const before = right(await log.ledger.head()()).position
    const other = tsa.reply(timestampQuery({ text: 'another head\n', nonce }))
    const replayed: Answer = (query) => {
      const asked = query.toString('latin1').replace(nonce.toString('latin1'), 'ABCDEFGH')
      return tsa.reply(Buffer.from(asked, 'latin1'))
    }
    const refused: Answer = () => Buffer.from('30053003020102', 'hex')
    const answers: readonly (readonly [Answer, RegExp])[] = [
      [() => other, /the answer to another query/],
      [replayed, /the answer to another query/],
      [stranger.reply, /certificate verify error/],
      [refused, /a granted query, not status 2/],
      [() => Buffer.from('<html>'), /a time-stamp response/],
      [() => Buffer.alloc(0), /a time-stamp response/],
      [(query) => Buffer.concat([tsa.reply(query), Buffer.of(0)]), /a time-stamp response/],
    ]
    for (const [answer, because] of answers) await rejects(stamped(log, tsa.root, answer), because)
    equal(right(await log.ledger.head()()).position, before)
    await log.close()
  },
)

test(
  'RFC3161_2.4.2: whatever bit of a reply is changed, it is refused or says the same',
  { skip },
  async () => {
    ok(tsa !== undefined)
    const text = 'ledger.example/crawl\n1\nroot\n'
    const reply = tsa.reply(timestampQuery({ text, nonce }))
    const { time, digest } = right(parseTimestamp('reply', reply))
    const check = opensslTimestamps(tsa.root)
    right(await check({ text, reply, time })())
    await fc.assert(
      fc.asyncProperty(fc.nat(reply.length * 8 - 1), async (bit) => {
        const altered = Buffer.from(reply)
        altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        const read = parseTimestamp('reply', altered)
        if (E.isLeft(read)) return
        const judged = await check({ text, reply: altered, time: read.right.time })()
        if (E.isRight(judged))
          deepEqual([read.right.time, read.right.digest], [time, digest], `bit ${bit}`)
      }),
    )
  },
)

test('any bytes are read as a reply, or refused, and nothing is thrown', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      ok(E.isLeft(parseTimestamp('reply', bytes)))
    }),
  )
})

test('every bit of the files of a stamp counts', { skip, timeout: 300_000 }, async (t) => {
  ok(tsa !== undefined)
  const log = await publishedLog(t)
  const policy = right(parsePolicy('policy', await log.policy()))
  await stamped(log, tsa.root, tsa.reply)
  const bundle = await filesIn(await log.evidence(307))
  for (const name of ['stamped.tlog-proof', 'stamp.json', 'stamp.tlog-proof']) {
    const bytes = bundle.get(name)
    ok(bytes !== undefined, name)
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const altered = Buffer.from(bytes)
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      ok(E.isLeft(checkEvidence(new Map(bundle).set(name, altered), policy)), `${name}, bit ${bit}`)
    }
    const without = new Map(bundle)
    without.delete(name)
    ok(E.isLeft(checkEvidence(without, policy)), `without ${name}`)
  }
  await log.close()
})
