/** A person's acts and pages by hand, as commands: what they refuse, what they record, what they change. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { rehearsalPolicy } from '../../scripts/rehearsal/policy.ts'
import { publisher } from '../../scripts/rehearsal/publisher.ts'
import { html } from '../../scripts/rehearsal/reply.ts'
import { type RehearsalWeb, startRehearsalWeb } from '../../scripts/rehearsal/web.ts'
import { openEmbedded } from '../../src/adapters/postgres/embedded/embedded.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { loadProgramme } from '../../src/cli/programme.ts'
import { right } from '../support/either.ts'
import { type Ended, programOn } from '../support/program.ts'

const page = () => html('<!doctype html><title>Records</title>\n')
const host = (name: string) =>
  publisher({ host: name, about: 'Has records.', listed: false, elsewhere: page })

let directory: string
let web: RehearsalWeb
const closing: (() => Promise<unknown>)[] = []

const crawlLedger = (...args: readonly string[]) => programOn(directory).run(...args)
const done = (...args: readonly string[]) => programOn(directory).done(...args)
const refused = (code: number, ...args: readonly string[]) =>
  programOn(directory).refused(code, ...args)

/** Both programmes' nights are within these hours of the third of January. */
const AT = ['--clock', 'simulated:2031-01-03T08:00:00Z']
let flags: readonly string[]
const run = (policy: string, ...args: readonly string[]): Promise<Ended> =>
  crawlLedger('run', policy, '--sources', 'pages.txt', ...AT, ...flags, ...args)
const paths = (name: string): readonly string[] =>
  web
    .log()
    .filter((line) => line.host === name)
    .map(({ path }) => path)

before(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'acts-test-')))
  closing.push(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))
  const publishers = ['one.example', 'two.example', 'three.example'].map(host)
  web = await startRehearsalWeb({ clock: systemClock(), seed: 1, publishers })
  closing.push(web.close)
  for (const name of ['pta-karo', 'public-records-check']) {
    const { policyText } = await loadProgramme(name)
    await writeFile(join(directory, `${name}.json`), rehearsalPolicy(policyText))
  }
  await writeFile(
    join(directory, 'pages.txt'),
    'bids https://one.example/bids\npermits https://two.example/permits # a comment\n',
  )
  await writeFile(join(directory, 'resolve.txt'), `${web.resolveRules.join('\n')}\n`)
  await writeFile(join(directory, 'ca.pem'), web.authorityPem)
  flags = ['--resolve-file', 'resolve.txt', '--ca', 'ca.pem']
  const embedded = right(await openEmbedded(directory)())
  closing.push(embedded.close)
  const first = await run('public-records-check.json', '--json')
  equal(first.code, 0, first.err)
})
after(async () => {
  for (const close of closing.toReversed()) await close()
})

describe('a person’s acts', () => {
  test('RC23 not-read names a source by its id; an unknown one is a no', async () => {
    match(
      await refused(1, 'not-read', 'nowhere', '--by', 'A. Person', '--reason', 'r'),
      /no source nowhere in the source lists of/,
    )
    match(
      await refused(2, 'not-read', 'bids', '--by', 'A. Person', '--reason', ' '),
      /--reason takes a sentence/,
    )
    const out = await done('not-read', 'bids', '--by', 'A. Person', '--reason', 'it answers 403')
    equal(out, 'SourceNotRead recorded for one.example by A. Person\n')
    const plan = JSON.parse(
      await done(
        'plan',
        'public-records-check.json',
        '--clock',
        'simulated:2031-01-05T08:00:00Z',
        '--json',
      ),
    ) as { planned: { site: string; purpose: string }[] }
    const looked = plan.planned.filter(({ site }) => site === 'one.example')
    deepEqual(
      looked.map(({ purpose }) => purpose),
      ['robots', 'probe'],
    )
    equal(
      await done('reinstate', 'bids', '--by', 'A. Person'),
      'SourceReinstated recorded for one.example by A. Person\n',
    )
  })

  test('PK16 RC25 pace and leave-alone take only what they can keep', async () => {
    match(await refused(2, 'pace', 'two.example', '1.5', '--by', 'P'), /not a number of seconds/)
    match(await refused(2, 'pace', 'two.example', '99999999', '--by', 'P'), /from 0 to 31536000/)
    match(await refused(2, 'leave-alone', 'two.example', 'permits', '--by', 'P'), /begins with \//)
    match(await refused(2, 'pace', 'two.example', '60', '--by', ' '), /--by takes a name/)
    await done('pace', 'two.example', '60', '--by', 'P', '--note', 'asked by mail')
    await done('leave-alone', 'two.example', '/permits', '--by', 'P')
    const log = await done('log', '--site', 'two.example', '--jsonl')
    const acts = log
      .split('\n')
      .slice(0, -1)
      .map(
        (line) =>
          (JSON.parse(line) as { entry: { type: string; seconds?: number; path?: string } }).entry,
      )
      .filter(({ type }) => type === 'SitePaced' || type === 'PathExcluded')
    deepEqual(
      acts.map(({ type, seconds, path }) => [type, seconds ?? path]),
      [
        ['SitePaced', 60],
        ['PathExcluded', '/permits'],
      ],
    )
    const before = paths('two.example').length
    const night = await run('pta-karo.json', '--source', 'permits', '--json')
    equal(night.code, 0, night.err)
    equal((JSON.parse(night.out) as { jobs: number }).jobs, 1)
    deepEqual(paths('two.example').slice(before), ['/robots.txt'])
    await done('readmit', 'two.example', '--path', '/permits', '--by', 'P')
    await done('pace', 'two.example', '0', '--by', 'P')
  })
})

describe('fetch', () => {
  test('PK7 RC28 one page by hand, by the programme’s rules, and what it came to', async () => {
    const fetched = await crawlLedger(
      'fetch',
      'pta-karo.json',
      'https://two.example/other',
      ...AT,
      ...flags,
      '--json',
    )
    equal(fetched.code, 0, fetched.err)
    const report = JSON.parse(fetched.out) as {
      requests: number
      outcome: { event: { type: string; status: number; target: string } }
    }
    deepEqual(
      [report.outcome.event.type, report.outcome.event.status, report.outcome.event.target],
      ['FetchConcluded', 200, 'https://two.example/other'],
    )
  })

  test('PK1 PK2 a website off the list is refused, unless it is allowed for this run', async () => {
    const off = ['fetch', 'pta-karo.json', 'https://three.example/page', ...AT, ...flags]
    const before = paths('three.example').length
    const refusal = await crawlLedger(...off)
    equal(refusal.code, 1)
    match(refusal.out, /RequestWithheld at position \d+: .*out-of-scope/)
    equal(paths('three.example').length, before)
    const allowed = await crawlLedger(...off, '--also', 'three.example')
    equal(allowed.code, 0, allowed.err)
    ok(paths('three.example').includes('/page'))
  })

  test('a programme without pages, and an address that is none, are wrong use', async () => {
    match(
      await refused(2, 'fetch', 'plain-reckoner', 'https://two.example/', ...AT),
      /reads no single pages/,
    )
    match(
      await refused(2, 'fetch', 'pta-karo', 'ftp://two.example/', ...AT),
      /not an http\(s\) address/,
    )
    match(
      await refused(
        2,
        'fetch',
        'public-records-check',
        'https://two.example/',
        '--also',
        'x.example',
        ...AT,
      ),
      /--also has no meaning/,
    )
  })
})
