/** Erasing as an operator does it: the ledger says so and still verifies, and the disk has nothing left. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { rehearsalPolicy } from '../../scripts/rehearsal/policy.ts'
import { publisher } from '../../scripts/rehearsal/publisher.ts'
import { plainText } from '../../scripts/rehearsal/reply.ts'
import { type RehearsalWeb, startRehearsalWeb } from '../../scripts/rehearsal/web.ts'
import { openEmbedded } from '../../src/adapters/postgres/embedded/embedded.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { SALT_BYTES } from '../../src/capture/commitment.ts'
import { loadProgramme } from '../../src/cli/programme.ts'
import { parse, t } from '../../src/kernel/codec.ts'
import { execute } from '../support/database.ts'
import { right } from '../support/either.ts'
import { programOn } from '../support/program.ts'
import { piecesOf, tracer } from '../support/rehearsal-traces.ts'

/** So long a piece is nowhere by chance; longer ones a compressed text would be cut out of. */
const PIECE = 8
const secretText = (): string => randomBytes(18).toString('base64url').replaceAll(/[-_]/g, 'x')
const [erased, stays, ofRobots] = [secretText(), secretText(), secretText()]
const adsTxt = (secret: string) => () =>
  plainText(
    `# ${secret} in a comment\nads.example, ${secret}, DIRECT\nother.example, 1, RESELLER\ncontact=${secret}@mail.example\n`,
  )

const piecesIn = (bytes: Buffer): readonly Buffer[] => [
  ...piecesOf(bytes, PIECE),
  ...[
    Buffer.from(bytes.toString('hex')),
    // The three ways in which base64 can cut the bytes.
    ...[0, 1, 2].map((at) => Buffer.from(bytes.subarray(at).toString('base64'))),
  ].flatMap((text) => piecesOf(text, 2 * PIECE, PIECE)),
]

let directory: string
let web: RehearsalWeb
const closing: (() => Promise<unknown>)[] = []

const program = () => programOn(join(directory, 'data'), directory)
const crawlLedger = (...args: readonly string[]) => program().run(...args)
const done = (...args: readonly string[]) => program().done(...args)
const refused = (code: number, ...args: readonly string[]) => program().refused(code, ...args)

const BY = ['--by', 'A. Operator', '--basis', 'site-request']

const Line = t.type({
  position: t.number,
  entry: t.type({ type: t.string, url: t.string, body: t.type({ commit: t.string }) }),
})
/** The answer of `url`, and its commitment. */
const answerOf = async (url: string) => {
  for (const text of (await done('log', '--type', 'ResponseReceived', '--jsonl')).split('\n')) {
    if (text === '' || !text.includes(`"url":"${url}"`)) continue
    const { position, entry } = right(parse('line', Line, JSON.parse(text)))
    return { position, commit: entry.body.commit }
  }
  throw new Error(`${url} was not answered`)
}
const storedOf = (commit: string): Promise<Buffer> =>
  readFile(join(directory, 'data/bodies', commit.slice(0, 2), commit.slice(2, 4), commit))
const tracesOf = async (pieces: readonly Buffer[]): Promise<readonly string[]> => {
  const { traces } = await tracer(pieces).inDirectory(join(directory, 'data'))
  return traces.map(({ file }) => file)
}

before(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'erase-test-')))
  closing.push(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))
  const about = 'Publishes.'
  const publishers = [
    publisher({ host: 'first.example', about, adsTxt: adsTxt(erased) }),
    publisher({ host: 'second.example', about, adsTxt: adsTxt(stays) }),
    publisher({
      host: 'third.example',
      about,
      robots: () => plainText(`# ${ofRobots}\nUser-agent: *\nDisallow: /private/\n`),
    }),
  ]
  web = await startRehearsalWeb({ clock: systemClock(), seed: 1, publishers })
  closing.push(web.close)
  const { policyText } = await loadProgramme('plain-reckoner')
  await writeFile(join(directory, 'policy.json'), rehearsalPolicy(policyText))
  await writeFile(
    join(directory, 'sources.txt'),
    web.networks.map(({ id, url }) => `${id} ${url}\n`).join(''),
  )
  await writeFile(join(directory, 'resolve.txt'), `${web.resolveRules.join('\n')}\n`)
  await writeFile(join(directory, 'ca.pem'), web.authorityPem)
  const embedded = right(await openEmbedded(join(directory, 'data'))())
  closing.push(embedded.close)
  await done('run', 'policy.json', ...NIGHT, '--clock', 'simulated:2031-01-03T01:30:00Z')
  await done('rebuild', '--all')
  // So that what is in tables stands in their files too, and the search can find it.
  await execute(embedded.connection, 'checkpoint')
})
after(async () => {
  for (const close of closing.toReversed()) await close()
})
const NIGHT = ['--sources', 'sources.txt', '--resolve-file', 'resolve.txt', '--ca', 'ca.pem']

test('erase refuses what it cannot mean, and then nothing is recorded', async () => {
  const { position } = await answerOf('https://first.example/ads.txt')
  const at = String(position)
  match(await refused(2, 'erase', ...BY), /name positions, or a site/)
  match(await refused(2, 'erase', at, '--site', 'first.example', ...BY), /name positions, or/)
  match(await refused(2, 'erase', at, '--basis', 'retention'), /--by takes the name/)
  match(await refused(2, 'erase', at, '--by', 'A. Operator'), /--basis takes one of site-request, /)
  match(await refused(2, 'erase', at, '--by', ' ', '--basis', 'retention'), /--by takes a name/)
  match(await refused(2, 'erase', '--resume', at), /takes no position/)
  match(await refused(1, 'erase', '1', ...BY), /position 1 is LogOpened and has no kept body/)
  match(await refused(1, 'erase', at, '999999', ...BY), /there is no position 999999/)
  const homepage = await done('log', '--site', 'first.example', '--type', 'ResponseReceived')
  const page = /^.*?(\d+) .*first\.example\/,/m.exec(homepage)?.[1] ?? ''
  match(await refused(1, 'erase', page, ...BY), /is ResponseReceived and has no kept body/)
  equal(await done('log', '--type', 'BodyErased', '--jsonl'), '')
})

test('a dry run says what would go, and nothing goes', async () => {
  const out = await done('erase', '--site', 'first.example', ...BY, '--dry-run')
  match(out, /bytes {2}https:\/\/first\.example\/ads\.txt\n/)
  match(out, /^\d+ kept bodies would be erased, \d+ bytes$/m)
  equal(await done('log', '--type', 'BodyErased', '--jsonl'), '')
})

test('an erased body is nowhere on the disk: no file, row, cached reading or write-ahead log', async () => {
  const { position, commit } = await answerOf('https://first.example/ads.txt')
  const salt = (await storedOf(commit)).subarray(0, SALT_BYTES)
  const pieces = [...piecesIn(Buffer.from(erased)), ...piecesIn(salt)]
  const before = await tracesOf(pieces)
  ok(before.some((file) => file.includes('/bodies/')) && before.some((f) => f.includes('/pg_wal/')))
  ok(
    before.some((file) => file.includes('/base/')),
    'the search finds it in tables',
  )
  match(await done('state', 'ads-txt-state', '--site', 'first.example', '--json'), /ads\.example/)

  const out = await done('erase', String(position), ...BY, '--note', 'asked by letter', '--json')
  const told = JSON.parse(out) as { bodies: number; swept: { deleted: number; log: string } }
  deepEqual([told.bodies, told.swept.deleted, told.swept.log], [1, 1, 'rewritten'])
  deepEqual(await tracesOf(pieces), [])
  ok((await tracesOf(piecesIn(Buffer.from(stays)))).length > 0, 'what others sent is still there')
  match(await refused(1, 'erase', String(position), ...BY), /was erased already, by event \d+/)
})

test('afterwards the log verifies, and every reader says what became of the body', async () => {
  match(await done('verify', '--full'), /1 kept bodies were erased, each by an event that says so/)
  const state = await done('state', 'ads-txt-state', '--site', 'first.example', '--json')
  match(state, /H_BODY_ERASED/)
  match(await done('history', 'first.example', 'ads.txt'), /erased/)
  const before = await done('state', 'ads-txt-state', '--json')
  await done('rebuild', 'ads-txt-state')
  equal(await done('state', 'ads-txt-state', '--json'), before)
  await done('audit', 'completeness')
  const audit = await done('audit', 'promises', '--jsonl')
  const lines = audit.split('\n').filter((text) => text.includes('"PR11"'))
  ok(lines.length > 0 && lines.every((text) => !text.includes('"broken":1')), audit)
})

test('evidence of an erased body says so, by program and by hand, and proves the erasure', async () => {
  const { position } = await answerOf('https://first.example/ads.txt')
  const bundle = join(directory, 'evidence')
  const files = JSON.parse(await done('evidence', String(position), bundle, '--json')) as {
    files: string[]
  }
  ok(files.files.includes('erased.json') && !files.files.includes('body.bin'))
  const readme = await readFile(join(bundle, 'README.txt'), 'utf8')
  match(readme, /Withheld, erased by event \d+/)
  const policy = join(directory, 'policy.txt')
  await writeFile(policy, await done('keys', '--policy'))
  match(
    await done('check-evidence', bundle, '--policy', policy),
    /the body that was recorded is withheld, erased by event \d+ of .* \(site-request\)/,
  )
  const commands = readme
    .split('\n')
    .filter((text) => text.startsWith('    '))
    .join('\n')
  const byHand = spawnSync('sh', ['-c', commands], { cwd: bundle })
  const results = byHand.stdout.toString()
  match(results, /OK: the erasure is in the log, byte for byte\nOK: the erasure is of this body/)
  ok(!results.includes('FALSE'), results)
  const entry = await readFile(join(bundle, 'erased.json'), 'utf8')
  await writeFile(join(bundle, 'erased.json'), entry.replace('letter', 'Letter'))
  match(await refused(3, 'check-evidence', bundle, '--policy', policy), /erased\.json/)
})

test('of a whole site every body goes, its robots.txt too, and no rule allows anything any more', async () => {
  const { commit } = await answerOf('https://third.example/robots.txt')
  const stored = await storedOf(commit)
  ok(stored.includes(ofRobots))
  const out = await done('erase', '--site', 'third.example', ...BY)
  match(out, /^\d+ kept bodies erased/m)
  deepEqual(await tracesOf(piecesIn(Buffer.from(ofRobots))), [])
  const asked = ['https://third.example/page', '--agent', 'PlainReckonerBot']
  const explained = await crawlLedger('robots', 'explain', ...asked)
  equal(explained.code, 1, explained.err)
  match(explained.out, /its body, kept as [0-9a-f]{64}, was erased/)
  match(await done('erase', '--site', 'third.example', ...BY), /^0 kept bodies erased/m)
  await done('verify', '--full')
})

test('an erased list of sellers names nobody, and nobody is asked for it twice a night', async () => {
  const { position } = await answerOf('https://adnet-one.example/sellers.json')
  match(await done('plan', 'policy.json', ...PLAN), /first\.example/)
  await done('erase', String(position), ...BY)
  await done('plan', 'policy.json', ...PLAN)
  await done('run', 'policy.json', ...NIGHT, '--clock', 'simulated:2031-01-03T02:30:00Z')
  await done('verify')
})
const PLAN = ['--sources', 'sources.txt']
