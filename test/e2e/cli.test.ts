/**
 * The verbs as a person or a program meets them: child processes against a small web that this
 * test serves, with the shapes and exit codes of the interface.
 */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { rehearsalPolicy } from '../../scripts/rehearsal/policy.ts'
import { type Publisher, publisher } from '../../scripts/rehearsal/publisher.ts'
import { answer, plainText, rawResponse } from '../../scripts/rehearsal/reply.ts'
import { type RehearsalWeb, startRehearsalWeb } from '../../scripts/rehearsal/web.ts'
import { memoryBodyStore } from '../../src/adapters/memory/bodies.ts'
import { openDatabase } from '../../src/adapters/postgres/database.ts'
import {
  type EmbeddedDatabase,
  openEmbedded,
} from '../../src/adapters/postgres/embedded/embedded.ts'
import { postgresReading } from '../../src/adapters/postgres/ledger.ts'
import { postgresProjectionStore } from '../../src/adapters/postgres/projections/store.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { PROJECTIONS, requestLog } from '../../projections/index.ts'
import { VERBS } from '../../src/cli/verbs.ts'
import { present } from '../../src/kernel/assert.ts'
import { canonicalJson, type Json } from '../../src/kernel/canonical-json.ts'
import { READER_VERSIONS } from '../../src/readers/index.ts'
import { rebuild } from '../../src/shell/projecting/rebuild.ts'
import { dyingStore } from '../support/dying-store.ts'
import { left, right } from '../support/either.ts'
import { policyText } from '../support/site.ts'

const PROGRAM = join(import.meta.dirname, '../../src/cli.ts')

/** What a terminal would obey: seven- and eight-bit control sequences, a title, a reversal. */
const ESCAPES = '\u001b[2J\u001b]0;owned\u0007\u009b31m\u202ereversed'
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/

const NAMED = ['news.example', 'shut.example', 'down.example', 'hostile.example', 'moved.example']
const sellersJson = JSON.stringify({
  sellers: NAMED.map((domain, index) => ({
    seller_id: `${index}${ESCAPES}`,
    seller_type: 'PUBLISHER',
    name: ESCAPES,
    domain,
  })),
})

const web: readonly Publisher[] = [
  publisher({
    host: 'network.example',
    about: 'Names the others.',
    listed: false,
    elsewhere: () => answer(200, [['Content-Type', 'application/json']], sellersJson),
  }),
  publisher({ host: 'news.example', about: 'Works.' }),
  publisher({
    host: 'shut.example',
    about: 'Disallows everything.',
    robots: () => plainText('User-agent: *\nDisallow: /\n'),
  }),
  publisher({ host: 'down.example', about: 'Refuses connections.', listens: false }),
  publisher({
    host: 'hostile.example',
    about: 'Writes control sequences wherever there is room for text.',
    robots: () => plainText(`User-agent: *\nDisallow: /*?${ESCAPES}\nDisallow: /$${ESCAPES}\n`),
    adsTxt: () => plainText(`x.example, ${ESCAPES}, DIRECT\nCONTACT=${ESCAPES}\n${ESCAPES}\n`),
  }),
  publisher({
    host: 'moved.example',
    about: 'Sends on to an address with an eight-bit control sequence in it.',
    adsTxt: () => rawResponse(302, [['Location', '/ads\u009b31m.txt']], Buffer.from('')),
  }),
]

/** The embedded database, whatever this test process was told to use. */
const ENVIRONMENT = { CRAWL_LEDGER_DATABASE_URL: '' }

type Ended = { readonly code: number | null; readonly out: string; readonly err: string }

let directory: string
let data: string
let cache: string
let served: RehearsalWeb
let flags: readonly string[]
let embedded: EmbeddedDatabase
const closing: (() => Promise<unknown>)[] = []

/** Runs the command; `input` is its standard input. */
const crawlLedger = async (
  args: readonly string[],
  { input = '', env = {} }: { input?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Ended> => {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: directory,
    env: {
      ...process.env,
      ...ENVIRONMENT,
      CRAWL_LEDGER_DATA: data,
      NODE_COMPILE_CACHE: cache,
      ...env,
    },
  })
  const parts = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (parts.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (parts.err += text))
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...parts }
}

/** A command that must be done: its standard output. */
const done = async (...args: readonly string[]): Promise<string> => {
  const { code, out, err } = await crawlLedger(args)
  equal(code, 0, `${args.join(' ')}: ${err}`)
  return out
}
type Document = { readonly [key: string]: Json | undefined }
const json = async (...args: readonly string[]): Promise<Document> =>
  JSON.parse(await done(...args, '--json')) as Document
const list = async (...args: readonly string[]): Promise<readonly Document[]> =>
  JSON.parse(await done(...args, '--json')) as readonly Document[]
const lines = (text: string): readonly Document[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((one) => JSON.parse(one) as Document)
const jsonl = async (...args: readonly string[]): Promise<readonly Document[]> =>
  lines(await done(...args, '--jsonl'))

type Entry = Document & {
  readonly type: string
  readonly stream: string
  readonly ts: string
  readonly url?: string
}
const entries = async (...args: readonly string[]): Promise<readonly Entry[]> =>
  (await jsonl('log', ...args)).map(({ entry }) => entry as unknown as Entry)

/** A refusal: its code, and one line on standard error that has no stack and names the program. */
const refused = async (code: number, ...args: readonly string[]): Promise<string> => {
  const ended = await crawlLedger(args)
  equal(ended.code, code, `${args.join(' ')}: ${ended.err}`)
  equal(ended.out, '')
  match(ended.err, /^crawl-ledger: [^\n]+\n$/)
  ok(!/^\s+at /m.test(ended.err), ended.err)
  return ended.err
}

const askedBy = (host: string): readonly string[] =>
  served
    .log()
    .filter((line) => line.host === host)
    .map(({ path }) => path)

/** A rebuild of request-log that dies on its way; answers how far it came. */
const leaveShadow = async (): Promise<number> => {
  const database = right(await openDatabase(embedded.connection)())
  const store = postgresProjectionStore(database)
  const ledger = postgresReading(database)
  const bodies = memoryBodyStore((size) => Buffer.alloc(size))
  const ports = { ledger, bodies, readers: READER_VERSIONS, store: dyingStore(store, 4) }
  const limits = { pageEvents: 5, batchEvents: 5, batchBytes: 9_000, heldBytes: 1, newKeys: 1 }
  left(await rebuild(ports)(requestLog, { limits })())
  const all = right(await store.status()())
  await database.close()
  return all.find(({ place }) => place === 'shadow')?.checkpoint ?? 0
}

const runNight = (night: number): readonly string[] => {
  served.startNight(night - 1)
  const clock = `simulated:2031-01-0${night}T01:00:00Z`
  return ['run', 'policy.json', '--sources', 'networks.txt', '--clock', clock, ...flags]
}

before(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'cli-test-')))
  data = join(directory, 'data')
  // Most of what these many short commands do is read the program.
  cache = join(directory, 'compiled')
  served = await startRehearsalWeb({ clock: systemClock(), seed: 1, publishers: web })
  closing.push(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }), served.close)
  await writeFile(join(directory, 'policy.json'), rehearsalPolicy(policyText))
  await writeFile(join(directory, 'networks.txt'), 'https://network.example/sellers.json # ours\n')
  await writeFile(join(directory, 'resolve.txt'), `${served.resolveRules.join('\n')}\n`)
  await writeFile(join(directory, 'ca.pem'), served.authorityPem)
  flags = ['--resolve-file', 'resolve.txt', '--ca', 'ca.pem']
  // A command among others: the server stays up while this one uses it.
  embedded = right(await openEmbedded(data)())
  closing.push(embedded.close)
})
after(async () => {
  for (const close of closing.toReversed()) await close()
})

describe('run and plan', () => {
  test('plan before the first night: the sources, and nobody is asked', async () => {
    const plan = await json('plan', 'policy.json', '--sources', 'networks.txt')
    deepEqual(
      (plan['planned'] as Document[]).map(({ purpose, verdict }) => [purpose, verdict]),
      [
        ['robots', 'due'],
        ['sellers-json', 'after-robots'],
      ],
    )
    deepEqual(served.log(), [])
  })

  test('run: one night, one document for programs, progress on standard error', async () => {
    const { code, out, err } = await crawlLedger([...runNight(1), '--json'])
    equal(code, 0, err)
    const report = JSON.parse(out) as Document
    deepEqual(
      [report['type'], report['status'], report['programme'], report['night'], report['sites']],
      ['RunEnded', 'completed', 'plain-reckoner', '2031-01-01', NAMED.length],
    )
    match(err, /^sites 5\/5 · \d+ requests/m)
    deepEqual(askedBy('news.example'), ['/robots.txt', '/ads.txt', '/'])
    deepEqual(askedBy('shut.example'), ['/robots.txt', '/ads.txt'])
    const sent = (await entries('--type', 'RequestSent')).length
    equal(report['requests'], sent)
  })

  test('run for people: counts, and where they come from', async () => {
    const out = await done(...runNight(2))
    match(out, /^night 2031-01-02 of plain-reckoner: completed \(run \S+\)\n {2}sites 5 · requests/)
    equal(CONTROL.test(out.replaceAll('\n', '')), false)
  })

  test('run --dry-run and plan say the same, by default of the sources of last time', async () => {
    const before = served.log().length
    const clock = ['--clock', 'simulated:2031-01-02T02:00:00Z']
    const plan = await jsonl('plan', 'policy.json', '--sources', 'networks.txt', ...clock)
    deepEqual(await jsonl('run', 'policy.json', ...clock, '--dry-run'), plan)
    const news = plan.filter(({ site }) => site === 'news.example')
    deepEqual(
      news.map(({ verdict }) => verdict),
      ['already', 'already', 'already'],
    )
    const only = await jsonl(
      'plan',
      'policy.json',
      '--sources',
      'networks.txt',
      '--site',
      'shut.example',
    )
    ok(only.some(({ site }) => site === 'shut.example'))
    ok(!only.some(({ site }) => site === 'news.example'))
    equal(served.log().length, before)
  })

  test('a ledger of simulated nights takes no real ones', async () => {
    const [, ...args] = runNight(3)
    const real = ['run', ...args.map((arg) => (arg.startsWith('simulated') ? 'system' : arg))]
    match(await refused(2, ...real), /opened with the simulated clock/)
  })
})

describe('log, show and find', () => {
  test('log --jsonl: a line an event, the entry as its stored canonical bytes', async () => {
    const out = await done('log', '--jsonl')
    lines(out).forEach(({ position, entry }, i) => {
      equal(position, i + 1)
      const line = present(out.split('\n')[i], 'a line')
      equal(line, `{"position":${position},"entry":${canonicalJson(entry as Json)}}`)
    })
    deepEqual(JSON.parse(await done('log', '--json')), lines(out))
    equal((await entries())[0]?.type, 'LogOpened')
  })

  test('log narrows by position, stream, type, site and time', async () => {
    const all = lines(await done('log', '--jsonl'))
    deepEqual(await jsonl('log', '--after', '5'), all.slice(5))
    const site = await entries('--site', 'news.example')
    ok(site.length > 5 && site.every(({ stream }) => stream === 'site-news.example'))
    deepEqual(await entries('--stream', 'site-news.example'), site)
    const types = await entries('--type', 'RunStarted', '--type', 'RunEnded')
    deepEqual(
      types.map(({ type }) => type),
      ['RunStarted', 'RunEnded', 'RunStarted', 'RunEnded'],
    )
    const second = await entries('--since', '2031-01-02')
    ok(second.length > 20 && second.every(({ ts }) => ts >= '2031-01-02'))
    const first = await entries('--until', '2031-01-01T23:59Z')
    equal(first.length + second.length, all.length)
    await refused(2, 'log', '--type', 'NoSuchEvent')
    await refused(2, 'log', '--since', 'yesterday')
    await refused(2, 'log', '--after', '-1')
  })

  test('show: one event with decision, request and answer around it', async () => {
    const all = await jsonl('log', '--site', 'news.example')
    const isOf = (type: string) => (one: Document) =>
      (one['entry'] as unknown as Entry).type === type
    const sent = present(all.find(isOf('RequestSent')), 'a request')
    const shown = await json('show', String(Number(sent['position'])))
    deepEqual([shown['position'], shown['entry']], [sent['position'], sent['entry']])
    const types = new Map(
      all.map((one) => [one['position'], (one['entry'] as unknown as Entry).type]),
    )
    deepEqual(
      (shown['neighbours'] as number[]).map((position) => types.get(position)),
      ['RobotsDecided', 'RequestSent', 'ResponseReceived', 'RobotsRead'],
    )
    const text = await done('show', String(Number(sent['position'])))
    match(text, /^RequestSent at position \d+, 2031-01-01T01:00:\d\d\.000Z\n/)
    match(text, /^→ \d+ {2}RequestSent/m)
    match(await refused(1, 'show', '999999'), /no position 999999; the ledger ends at \d+/)
    await refused(2, 'show', 'first')
  })

  test('RC26 find: a time and an address are enough; 1 if there is no such request', async () => {
    const [sent] = (await entries('--site', 'news.example')).filter(
      ({ type }) => type === 'RequestSent',
    )
    const { ts, url = '' } = present(sent, 'a request')
    const found = await list('find', '--time', ts, '--url', url)
    deepEqual([found.length, found[0]?.['url'], found[0]?.['outcome']], [1, url, 'answered'])
    const elsewhere = ['find', '--time', '2031-01-20', '--url', url]
    const none = await crawlLedger(elsewhere)
    deepEqual([none.code, none.err], [1, ''])
    match(none.out, /^no request of ours/)
    await refused(2, 'find', '--time', ts, '--url', 'ftp://news.example/')
  })
})

describe('projections', () => {
  test('state: rows with their positions, of all sites or one', async () => {
    const rows = await list('state', 'ads-txt-state')
    deepEqual(new Set(rows.map(({ site }) => site)), new Set(NAMED))
    const down = rows.find(({ site }) => site === 'down.example')
    deepEqual([down?.['state'], down?.['request']], ['unknown', null])
    for (const { position } of rows) ok(Number(position) > 0)
    const [news, ...others] = await jsonl('state', 'ads-txt-state', '--site', 'news.example')
    deepEqual([news?.['state'], others], ['ok', []])
    deepEqual(
      news,
      rows.find(({ site }) => site === 'news.example'),
    )
    match(await done('state', 'robots-state'), /^origin +site +position/)
    match(await refused(2, 'state', 'no-such-thing'), /there are ads-txt-state, /)
    const sites = await refused(2, 'state', 'run-summary', '--site', 'news.example')
    match(sites, /the rows of run-summary are of no site/)
  })

  test('history: every time a file was asked, and when its bytes changed', async () => {
    const seen = await list('history', 'news.example', 'ads.txt')
    deepEqual(
      seen.map(({ change, outcome }) => [change, outcome]),
      [
        ['first', 'answered (200)'],
        ['same', 'answered (200)'],
      ],
    )
    match(await done('history', 'nobody.example', 'robots.txt'), /was never asked\n$/)
    await refused(2, 'history', 'news.example', 'humans.txt')
  })

  test('diff: two captures line by line, hostile bytes escaped; 1 if nothing was kept by then', async () => {
    const [first] = await list('history', 'hostile.example', 'ads.txt')
    const position = JSON.stringify(first?.['position'])
    const same = await done('diff', 'hostile.example', 'ads.txt', position, position)
    match(same, /no line changed/)
    const found = await json('diff', 'hostile.example', 'ads.txt', position, '2999-01-01')
    deepEqual(found['lines'], [])
    await refused(2, 'diff', 'hostile.example', 'x.txt', '1', '2')
    match(await refused(1, 'diff', 'hostile.example', 'ads.txt', '1', '1'), /was kept by then/)
  })

  test('rebuild --diff: a dry run with another reader changes nothing, adopting it is recorded', async () => {
    const name = 'robots-decisions'
    const other = 'robots-parser@3.0.1'
    match(await done('rebuild', name, '--diff'), /^robots-decisions: no fact changed /)
    const before = await done('state', name, '--jsonl')
    const dry = await json('rebuild', name, '--reader', other, '--dry-run')
    equal(await done('state', name, '--jsonl'), before)
    const who = ['--by', 'A. Operator', '--reason', 'to compare']
    const done1 = await json('rebuild', name, '--reader', other, '--diff', ...who)
    deepEqual(done1['changes'], dry['changes'])
    const adopted = await entries('--type', 'ReaderAdopted')
    deepEqual(
      adopted.map(({ reader, before, by }) => [reader, before, by]),
      [[other, 'rfc9309@2', 'A. Operator']],
    )
    const rows = lines(await done('state', name, '--jsonl'))
    ok(rows.every(({ reader }) => reader === other || reader === null))
    const csv = await done('rebuild', name, '--reader', 'rfc9309@2', '--diff', '--csv')
    match(csv, /^projection,key,index,row,column,before,after,/)
    ok(!CONTROL.test(csv.replaceAll('\n', '')))
    equal(await done('state', name, '--jsonl'), before)
    match(await refused(2, 'rebuild', name, '--reader', 'nobody@1'), /there are rfc9309@2, /)
    await refused(2, 'rebuild', '--all', '--reader', other)
    await refused(2, 'rebuild', name, '--csv')
  })

  test('CL6 findings --at: as of the head it is what is found now, as of the beginning nothing', async () => {
    const head = `${(await jsonl('log')).length}`
    for (const kind of ['cross', 'ads-txt', 'robots']) {
      const now = await list('findings', '--kind', kind)
      deepEqual(await list('findings', '--kind', kind, '--at', head), now, kind)
      deepEqual(await list('findings', '--kind', kind, '--at', '2999-01-01T00:00:00Z'), now)
      equal(await done('findings', '--kind', kind, '--at', '0'), 'nothing found\n')
    }
    match(await refused(2, 'findings', '--at', 'yesterday'), /--at/)
    match(await refused(2, 'findings', '--counts', '--at', head), /use --until/)
  })

  test('projections and rebuild: names, positions, lag; a rebuild changes no row', async () => {
    const before = await done('state', 'ads-txt-state', '--jsonl')
    const rebuilt = await list('rebuild', '--all')
    deepEqual(
      rebuilt.map(({ name }) => name),
      PROJECTIONS.map(({ name }) => name),
    )
    const head = (await jsonl('log')).length
    for (const { position } of rebuilt) equal(position, head)
    const listed = await list('projections')
    for (const { position, lag } of listed) deepEqual([position, lag], [head, 0])
    equal(await done('state', 'ads-txt-state', '--jsonl'), before)
    match(await done('rebuild', 'request-log'), /^request-log rebuilt up to position \d+\n$/)
    await refused(2, 'rebuild')
  })

  test('CL5 rebuild goes on where one was cut off, and says so; --anew begins again', async () => {
    const rows = await done('state', 'request-log', '--jsonl')
    const at = await leaveShadow()
    ok(at > 0)
    const gone = await crawlLedger(['rebuild', 'request-log', '--json'])
    match(gone.err, new RegExp(`^request-log: going on from position ${at}, where`))
    deepEqual(
      (JSON.parse(gone.out) as Document[]).map(({ resumedFrom }) => resumedFrom),
      [at],
    )
    equal(await done('state', 'request-log', '--jsonl'), rows)
    await leaveShadow()
    const anew = await crawlLedger(['rebuild', 'request-log', '--anew', '--json'])
    equal(anew.err, '')
    deepEqual(
      (JSON.parse(anew.out) as Document[]).map(({ resumedFrom }) => resumedFrom),
      [null],
    )
    equal(await done('state', 'request-log', '--jsonl'), rows)
  })
})

describe('a person’s acts', () => {
  test('PR15 exclude, in a process of its own, keeps the next process away; readmit lets it back', async () => {
    const out = await done('exclude', 'www.news.example', '--by', 'A. Person', '--note', 'a letter')
    equal(out, 'SiteExcluded recorded for news.example by A. Person\n')
    const [act] = await entries('--type', 'SiteExcluded')
    deepEqual(
      [act?.['by'], act?.['note'], act?.['site']],
      ['A. Person', 'a letter', 'news.example'],
    )
    const plan = await jsonl('plan', 'policy.json', '--clock', 'simulated')
    const news = plan.filter(({ site }) => site === 'news.example')
    deepEqual(
      new Set(news.map(({ reason }) => reason)),
      new Set(['excluded: excluded by A. Person']),
    )
    const before = askedBy('news.example').length
    await done(...runNight(3))
    equal(askedBy('news.example').length, before)
    await done('readmit', 'news.example', '--by', 'A. Person')
    await done(...runNight(4))
    equal(askedBy('news.example').length, before + 3)
  })

  test('PR7 resume: a site that was stopped after four nights is asked again', async () => {
    const tries = async (): Promise<number> =>
      (await entries('--site', 'down.example', '--type', 'RequestSent')).length
    equal((await entries('--type', 'SiteStopped')).length, 1)
    equal(await tries(), 4)
    await done(...runNight(5))
    equal(await tries(), 4)
    await done('resume', 'down.example', '--by', 'A. Person')
    await done(...runNight(6))
    equal(await tries(), 5)
  })

  test('an act needs a name, and a site', async () => {
    for (const verb of ['exclude', 'readmit', 'resume']) {
      const { code, err } = await crawlLedger([verb, 'news.example'])
      equal(code, 2)
      match(err, /^error: required option '--by <name>' not specified\n/)
      await refused(2, verb, 'news.example', '--by', ' ')
      await refused(2, verb, 'not a site', '--by', 'A. Person')
    }
  })
})

describe('batch readers', () => {
  test('read FILE: the reading as one document; a hostile file is answered with faults', async () => {
    await writeFile(join(directory, 'ads.txt'), 'x.example, 1, DIRECT\nbroken\n')
    const reading = await json('read', 'ads-txt', 'ads.txt')
    equal((reading['records'] as Json[]).length, 1)
    equal((reading['faults'] as Json[]).length, 1)
    match(await refused(2, 'read', 'ads-txt', 'missing.txt'), /cannot read missing\.txt/)
    await refused(2, 'read', 'no-such-reader', 'ads.txt')
  })

  test('read --jsonl and robots decide --jsonl: one object a line in, one out, same id', async () => {
    const rows = [
      { id: 'a', input: 'x.example, 1, DIRECT\n' },
      { id: 'b', input: '\u0000' },
    ]
    const input = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
    const read = await crawlLedger(['read', 'ads-txt', '--jsonl'], { input })
    equal(read.code, 0)
    deepEqual(
      lines(read.out).map(({ id }) => id),
      ['a', 'b'],
    )
    const question = {
      id: 7,
      robots: 'User-agent: *\nDisallow: /private/\nCrawl-delay: 5\n',
      userAgent: 'PlainReckonerBot',
      url: 'https://news.example/private/page',
    }
    const decided = await crawlLedger(['robots', 'decide', '--jsonl'], {
      input: `${JSON.stringify(question)}\n`,
    })
    const [decision] = lines(decided.out)
    deepEqual(
      [decision?.['id'], decision?.['allowed'], decision?.['line'], decision?.['crawlDelay']],
      [7, false, 2, 5],
    )
  })

  test('robots explain: the reason in words; 1 if it is not allowed', async () => {
    await writeFile(join(directory, 'robots.txt'), 'User-agent: *\nDisallow: /private/\n')
    const explain = (path: string) => [
      'robots',
      'explain',
      `https://news.example${path}`,
      '--agent',
      'PlainReckonerBot',
      '--file',
      'robots.txt',
    ]
    const { code, out } = await crawlLedger(explain('/private/page'))
    equal(code, 1)
    match(out, /line 2/)
    match(out, /This rests on robots\.txt, 34 bytes, SHA-256 [0-9a-f]{64}\./)
    match(await done(...explain('/')), /llowed/)
    await refused(2, ...explain('/'), '--at', '5')
    const whole = explain('/').map((word) =>
      word === 'PlainReckonerBot' ? 'Bot (whole; x)' : word,
    )
    match(await refused(2, ...whole), /product token/)
  })

  test('robots explain without a file answers from the ledger, and says what it rests on', async () => {
    const explain = (site: string, ...more: readonly string[]) =>
      crawlLedger(['robots', 'explain', `https://${site}/`, '--agent', 'PlainReckonerBot', ...more])
    const shut = await explain('shut.example')
    equal(shut.code, 1)
    match(shut.out, /^Disallowed for PlainReckonerBot: line 2, “Disallow: \/”/)
    const [, position = ''] =
      /^This rests on position (\d+): https:\/\/shut\.example\/robots\.txt as \S+ read it, asked \d{4}-[^ ]+Z \(request \d+\); 26 bytes, SHA-256 [0-9a-f]{64}, kept as [0-9a-f]{64}\.$/m.exec(
        shut.out,
      ) ?? []
    match(await done('show', position), /RobotsRead/)
    // The shape of the interface, looked at field by field.
    const asJson = JSON.parse((await explain('shut.example', '--json')).out) as {
      readonly allowed: boolean
      readonly rule: Document
      readonly source: Document
    }
    deepEqual(
      [asJson.allowed, asJson.rule['line'], asJson.source['position'], asJson.source['access']],
      [false, 2, Number(position), 'rules'],
    )
    equal((await explain('shut.example', '--at', position)).code, 1)
    const earlier = (await explain('shut.example', '--at', String(Number(position) - 1))).out
    ok(!earlier.includes(`position ${position}:`), earlier)
    const before = await explain('shut.example', '--at', '1')
    deepEqual([before.code, before.out], [1, ''])
    match(before.err, /nothing is known of https:\/\/shut\.example\/robots\.txt/)
    match((await explain('shut.example:8443')).err, /nothing is known of/)
    const down = await explain('down.example')
    equal(down.code, 1)
    match(down.out, /^Disallowed: robots\.txt could not be reached/)
    equal((await explain('news.example')).code, 0)
  })

  test('robots compare: each difference from robots-parser with its kind; 1 if one has none', async () => {
    await writeFile(
      join(directory, 'shared.txt'),
      'User-agent: *\nSitemap: /s.xml\nUser-agent: GreedyBot\nDisallow: /x\n',
    )
    const out = await done('robots', 'compare', 'shared.txt', 'robots.txt')
    match(
      out,
      /shared\.txt: \S+ https:\S+ ours forbids by line 4, robots-parser allows: another record/,
    )
    match(out, /\d+ decisions about 2 file\(s\); different or declined:\n +\d+ {2}other-records\n$/)
    const found = lines(await done('robots', 'compare', 'shared.txt', '--jsonl'))
    ok(found.length > 0)
    deepEqual(found[0]?.['kinds'], ['other-records'])
    match(await refused(2, 'robots', 'compare', 'missing.txt'), /cannot read missing\.txt/)
  })
})

describe('errors and help', () => {
  test('every verb has a help with an example, and ends with 0', async () => {
    const names = VERBS.map((verb) => verb({} as Parameters<typeof verb>[0]).name())
    const help = await done('--help')
    for (const name of names) ok(help.includes(`\n  ${name} `), name)
    for (const name of names.filter((one) => one !== 'projections' && one !== 'robots'))
      match(await done(name, '--help'), /\nExamples?:\n {2}crawl-ledger /, name)
    match(await done('robots', 'decide', '--help'), /\nExample:\n/)
  })

  test('wrong use is told in one or two lines and ends with 2', async () => {
    for (const args of [['no-such-verb'], ['log', '--no-such-flag'], ['show']]) {
      const { code, out, err } = await crawlLedger(args)
      deepEqual([code, out], [2, ''], args.join(' '))
      match(err, /^error: [^\n]+\n(\(--help shows what there is\)\n)?$/)
    }
    match(
      await refused(2, 'run', 'no-such-programme', '--sources', 'networks.txt'),
      /plain-reckoner/,
    )
    const fresh = ['plan', 'policy.json', '--data', join(directory, 'fresh')]
    match(await refused(2, ...fresh), /give --sources FILE/)
    match(await refused(2, 'run', 'policy.json', '--sources', 'missing.txt'), /cannot read/)
    await writeFile(join(directory, 'broken.json'), '{"name": "x"}')
    match(await refused(2, 'plan', 'broken.json', '--sources', 'networks.txt'), /broken\.json/)
    await refused(2, 'rehearse', '--nights', 'many')
  })

  test('no database ends with 4; --debug adds the stack', async () => {
    const env = { CRAWL_LEDGER_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' }
    const { code, out, err } = await crawlLedger(['log'], { env })
    deepEqual([code, out], [4, ''])
    match(err, /^crawl-ledger: [^\n]+\n$/)
    const debug = await crawlLedger(['log', '--debug'], { env })
    equal(debug.code, 4)
    match(debug.err, /\n +at /)
    await writeFile(join(directory, 'a-file'), '')
    match(await refused(4, 'log', '--data', 'a-file/data'), /a-file/)
    await mkdir(join(directory, 'half'))
    await writeFile(join(directory, 'half', 'bodies'), '')
    match(await refused(4, 'log', '--data', 'half'), /bodies/)
  })

  test('a kept body that was altered is an integrity breach, and ends with 3', async () => {
    const bodies = join(data, 'bodies')
    const names = await readdir(bodies, { recursive: true })
    const texts = await Promise.all(
      names
        .filter((name) => /[0-9a-f]{64}$/.test(name))
        .map(async (name) => [name, await readFile(join(bodies, name))] as const),
    )
    const shut = present(
      texts.find(([, bytes]) => bytes.subarray(32).toString() === 'User-agent: *\nDisallow: /\n'),
      'the kept robots.txt of shut.example',
    )
    const [name, bytes] = shut
    await writeFile(join(bodies, name), Buffer.concat([bytes, Buffer.from('#')]))
    const ended = await crawlLedger(['history', 'shut.example', 'robots.txt'])
    await writeFile(join(bodies, name), bytes)
    equal(ended.code, 3)
    match(ended.err, /^crawl-ledger: integrity breach: the kept body [0-9a-f]{64} [^\n]+\n$/)
  })
})

test('text from outside never reaches a terminal raw, whichever verb prints it', async () => {
  const textsOf = (value: unknown): readonly string[] => {
    if (typeof value === 'string') return [value]
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
  }
  const out = await done('log', '--jsonl')
  equal(out.includes('\u001b'), false, 'what a terminal obeys most is escaped in JSON, too')
  const hostile = lines(out).filter((one) => textsOf(one).some((text) => CONTROL.test(text)))
  ok(hostile.length > 5, 'control sequences did get into the ledger')
  const shown = [
    ...hostile.slice(0, 12).map(({ position }) => ['show', String(Number(position))]),
    ['log'],
    ['state', 'ads-txt-state', '--site', 'hostile.example'],
    ['state', 'publisher-list'],
    ['state', 'publisher-list', '--site', 'hostile.example'],
    ['state', 'robots-state', '--site', 'hostile.example'],
    ['robots', 'explain', 'https://hostile.example/', '--agent', 'PlainReckonerBot'],
    ['history', 'hostile.example', 'ads.txt'],
    ['history', 'moved.example', 'ads.txt'],
    ['plan', 'policy.json', '--sources', 'networks.txt', '--clock', 'simulated'],
  ]
  for (const args of shown) {
    const out = await done(...args)
    const found = CONTROL.exec(out.replaceAll('\n', ''))
    equal(found, null, `${args.join(' ')}: ${JSON.stringify(found?.[0])}`)
  }
})
