/** CL3, CL4, CL6: a rehearsed night, then a journalist who cites, an operator who publishes, an auditor who checks. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { claimPorts } from '../../src/cli/citing/claim-ports.ts'
import { compose } from '../../src/compose.ts'
import { configOf } from '../../src/config.ts'
import { present } from '../../src/kernel/assert.ts'
import { parse, t } from '../../src/kernel/codec.ts'
import { ADS_TXT_READER } from '../../src/readers/ads-txt/capture.ts'
import type { Reader } from '../../src/readers/reader.ts'
import { claimNamed, verifyClaim } from '../../src/shell/citing/verify-claim.ts'
import { parseRis } from '../support/citation-parsers.ts'
import { right } from '../support/either.ts'

const PROGRAM = join(import.meta.dirname, '../../src/cli.ts')
const HOST = 'ads-close.example'
const STATE = ['--of', 'ads-txt-state', '--site', HOST, '--column', 'state']

let directory = ''
let data = ''

const said = async (code: number, ...args: readonly string[]): Promise<string> => {
  const withData = args[0] === 'check-evidence' ? args : [...args, '--data', data]
  const [out, err] = [join(directory, 'out'), join(directory, 'err')]
  const environment = { ...process.env, CRAWL_LEDGER_DATABASE_URL: '', OUT: out, ERR: err }
  // To files: the database outlives the command, and would hold a pipe open.
  const { status } = spawnSync(
    'sh',
    ['-c', '"$@" > "$OUT" 2> "$ERR"', 'sh', process.execPath, PROGRAM, ...withData],
    { env: environment, stdio: 'ignore' },
  )
  const error = await readFile(err, 'utf8')
  equal(status, code, `${args.join(' ')}: ${error}`)
  const printed = await readFile(out, 'utf8')
  return printed === '' ? error : printed
}

const json = async <A>(codec: t.Type<A, unknown>, ...args: readonly string[]): Promise<A> =>
  right(parse(args.join(' '), codec, JSON.parse(await said(0, ...args, '--json'))))

const Published = t.type({ id: t.string, position: t.number })
const publish = async (statement: string, cites: number, ...basis: readonly string[]) => {
  const common = ['--statement', statement, '--cites', String(cites), '--by', 'A. Reporter']
  return json(Published, 'claim', 'publish', ...common, ...basis)
}

const Cited = t.type({
  answer: t.number,
  at: t.string,
  url: t.string,
  body: t.type({ commit: t.string }),
})

/** Where the ads.txt of the host was concluded, and the answer that it rests on. */
const world = { concluded: 0, answer: 0, at: '', commit: '', body: '' }

before(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'citing-e2e-')))
  data = join(directory, 'data')
  await said(0, 'rehearse')
  const [row] = await json(
    t.array(t.type({ position: t.number })),
    'state',
    'ads-txt-state',
    '--site',
    HOST,
  )
  world.concluded = present(row, 'a row').position
  const { answer, at, body } = await json(Cited, 'cite', String(world.concluded))
  const { commit } = body
  Object.assign(world, {
    answer,
    at,
    commit,
    body: join(data, 'bodies', commit.slice(0, 2), commit.slice(2, 4), commit),
  })
})
after(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))

describe('cite', () => {
  test('CL4 the request, its answer and what followed are citations of one fetch, at the second of the answer', async () => {
    const entry = await said(0, 'show', String(world.answer), '--json')
    const ts = present(/"ts": "([^"]+)"/.exec(entry)?.[1], 'a time')
    equal(world.at, `${ts.slice(0, 19)}Z`)
    const cited = await json(
      t.type({ at: t.string, url: t.string, request: t.number }),
      'cite',
      String(world.answer),
    )
    deepEqual([cited.at, cited.url], [world.at, `https://${HOST}/ads.txt`])
    const request = await json(Cited, 'cite', String(cited.request))
    deepEqual([request.at, request.answer], [world.at, world.answer])
  })

  test('CL4 a rehearsed fetch says that it is one, and on which head it stands', async () => {
    const text = await said(0, 'cite', String(world.answer))
    match(text, /REHEARSAL on a simulated clock/)
    match(
      text,
      /HTTP status 200.*under its signed head of \d+ entries with root [A-Za-z0-9+/]{43}=/,
    )
    match(
      text,
      new RegExp(` crawl-ledger:simulated\\.invalid/crawl-ledger/[0-9a-f]{8}/${world.answer}\n$`),
    )
    const ris = parseRis(
      await said(
        0,
        'cite',
        String(world.answer),
        '--format',
        'ris',
        '--base',
        'https://ledger.example/a/',
      ),
    )
    equal(ris['L2'], `https://ledger.example/a/e/${world.answer}`)
  })

  test('an event of no fetch, no event, no format and no base are refused in a line', async () => {
    match(await said(1, 'cite', '1'), /LogOpened, which belongs to no fetch/)
    match(await said(1, 'cite', '999999'), /there is no position 999999/)
    match(await said(2, 'cite', '1', '--format', 'mla'), /Allowed choices/)
    match(await said(2, 'cite', '1', '--base', 'javascript:x'), /--base takes/)
  })
})

describe('claim', () => {
  const STATEMENT = `${HOST} had an ads.txt\u001b[2J\u202e`
  let id = ''

  const verdict = async (code: number) => {
    const text = await said(code, 'claim', 'verify', id, '--json')
    return right(parse('verdict', t.type({ verdict: t.string }), JSON.parse(text)))
  }

  test('CL3 a claim about a cell is published and holds; it is listed, and its words are made safe', async () => {
    const published = await publish(STATEMENT, world.answer, ...STATE, '--value', 'ok')
    id = published.id
    const verified = await said(0, 'claim', 'verify', id)
    match(verified, /^HOLDS: ads-txt-state@1 with ads-txt@1 gives "ok"\n/)
    ok(verified.includes('had an ads.txt\\u001b[2J\\u202e'))
    match(
      await said(0, 'claim', 'list'),
      new RegExp(`^${id} .*\n.*by A. Reporter, .*position ${published.position}\n`),
    )
    match(await said(0, 'log', '--type', 'ClaimPublished'), new RegExp(`claim-${id}`))
    equal((await verdict(0)).verdict, 'holds')
  })

  test('CL3 what the ledger does not say is not published', async () => {
    const base = ['claim', 'publish', '--statement', 'x', '--by', 'A. Reporter']
    const on = (position: number) => [...base, '--cites', String(position)]
    match(
      await said(1, ...on(world.answer), ...STATE, '--value', 'none'),
      /the ledger says "ok", not none/,
    )
    match(await said(2, ...on(2), ...STATE), /made by position \d+, which the claim does not cite/)
    match(await said(2, ...on(world.answer), '--column', 'state'), /say more of --of/)
    match(
      await said(2, ...on(world.answer), '--of', 'ads-txt-state', '--site', HOST, '--column', 'no'),
      /has no column no/,
    )
    match(
      await said(1, ...on(world.answer), '--of', 'ads-txt', '--field', 'no.such'),
      /no field no.such/,
    )
    match(await said(1, ...on(999_999)), /there is no position 999999/)
    match(
      await said(2, ...base.slice(0, 3), ' ', '--by', 'A', '--cites', '5'),
      /--statement takes a sentence/,
    )
    match(await said(1, 'claim', 'verify', '000000000000'), /there is no claim 000000000000/)
  })

  test('a claim cannot rest on a claim', async () => {
    const { position } = await publish('they answered', world.answer)
    const cited = ['--cites', String(position), '--by', 'A']
    match(await said(2, 'claim', 'publish', '--statement', 'x', ...cited), /no claim can cite/)
  })

  test('CL3 a field of a reading holds; events alone hold', async () => {
    const { id: field } = await publish(
      'names it',
      world.concluded,
      '--of',
      'ads-txt',
      '--field',
      'records.0.domain',
    )
    match(await said(0, 'claim', 'verify', field), /^HOLDS: ads-txt@1 gives "/)
    const { id: events } = await publish('they answered', world.answer)
    match(await said(0, 'claim', 'verify', events), /^HOLDS: every event stands as cited/)
  })

  test('CL3 evidence of a claim: a bundle for each event, and each is checked without a database', async () => {
    const [folder, policy] = [join(directory, 'evidence'), join(directory, 'policy.txt')]
    await writeFile(policy, await said(0, 'keys', '--policy'))
    const { positions } = await json(
      t.type({ positions: t.array(t.number) }),
      'claim',
      'evidence',
      id,
      folder,
    )
    equal(positions.length, 2)
    ok(positions.includes(world.answer))
    for (const position of positions)
      match(
        await said(0, 'check-evidence', join(folder, String(position)), '--policy', policy),
        /^OK: position/,
      )
    const claim: unknown = JSON.parse(await readFile(join(folder, 'claim.json'), 'utf8'))
    const parsed = right(
      parse('claim.json', t.type({ entry: t.type({ id: t.string, statement: t.string }) }), claim),
    )
    deepEqual(parsed.entry, { ...parsed.entry, id, statement: STATEMENT })
    match(await said(2, 'claim', 'evidence', id, folder), /is not empty/)
  })

  const withReader = async (reader: Reader) => {
    const opened = await compose(configOf({ data, clock: 'system' }, {}))
    try {
      const ports = { ...claimPorts(opened), readers: [reader] }
      return await verifyClaim(ports, await claimNamed(opened.ledger, id))
    } finally {
      await opened.close()
    }
  }

  test('CL5 a corrected reader that sees the same leaves the claim standing, and is named', async () => {
    const found = await withReader({ ...ADS_TXT_READER, version: 2 })
    deepEqual(found, {
      verdict: 'holds',
      value: '"ok"',
      by: 'ads-txt-state@1 with ads-txt@2',
      since: null,
    })
  })

  test('CL5 a corrected reader that sees something else changes the claim: both values', async () => {
    const nothing = { state: 'none', records: [], variables: [], faults: [] }
    const found = await withReader({ name: 'ads-txt', version: 2, read: () => nothing })
    deepEqual(found, {
      verdict: 'changed',
      claimed: '"ok"',
      found: '"none"',
      by: 'ads-txt-state@1 with ads-txt@2',
    })
  })

  test('a missing body: unverifiable, with the reason, and nothing is called false', async () => {
    await rename(world.body, `${world.body}.away`)
    match(
      await said(1, 'claim', 'verify', id),
      new RegExp(
        `^UNVERIFIABLE\n  position ${world.answer}: the kept body ${world.commit} is missing`,
      ),
    )
    equal((await verdict(1)).verdict, 'unverifiable')
    await rename(`${world.body}.away`, world.body)
    equal((await verdict(0)).verdict, 'holds')
  })

  test('an altered body is a breach: code 3, and no verdict', async () => {
    const bytes = await readFile(world.body)
    const altered = Buffer.from(bytes)
    altered[altered.length - 1] = present(altered.at(-1), 'a byte') ^ 1
    await writeFile(world.body, altered)
    match(await said(3, 'claim', 'verify', id), /integrity breach/)
    await writeFile(world.body, bytes)
    equal((await verdict(0)).verdict, 'holds')
  })

  test('the published claims leave the ledger whole', async () => {
    match(await said(0, 'verify', '--full'), /positions 1 to/)
    await said(0, 'audit', 'completeness')
  })
})
