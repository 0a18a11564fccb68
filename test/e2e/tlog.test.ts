/** The log as an operator and an auditor meet it: from the first act to a backup that is too old. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

const PROGRAM = join(import.meta.dirname, '../../src/cli.ts')

let directory = ''
let data = ''
before(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'tlog-e2e-')))
  data = join(directory, 'data')
})
after(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))

const crawlLedger = (...args: readonly string[]) => {
  const withData = args[0]?.startsWith('check-') === true ? args : [...args, '--data', data]
  const environment = { ...process.env, CRAWL_LEDGER_DATABASE_URL: '' }
  // To files: the database outlives the command, and would hold a pipe open.
  return spawnSync(
    'sh',
    ['-c', '"$@" > "$OUT" 2> "$ERR"', 'sh', process.execPath, PROGRAM, ...withData],
    {
      env: { ...environment, OUT: join(directory, 'out'), ERR: join(directory, 'err') },
      stdio: 'ignore',
    },
  ).status
}
const said = async (code: number, ...args: readonly string[]): Promise<string> => {
  const status = crawlLedger(...args)
  const err = await readFile(join(directory, 'err'), 'utf8')
  equal(status, code, `${args.join(' ')}: ${err}`)
  return code === 0 ? readFile(join(directory, 'out'), 'utf8') : err
}
const exclude = (site: string): Promise<string> => said(0, 'exclude', site, '--by', 'A. Operator')

const stopped = async (): Promise<void> => {
  while (
    existsSync(join(data, 'postgres/data/postmaster.pid')) ||
    existsSync(join(data, 'postgres/postmaster.pid'))
  )
    await sleep(100)
}

test('before anything was recorded there is no head, no key and nothing to verify', async () => {
  match(await said(1, 'head'), /no head was signed yet/)
  match(await said(1, 'keys'), /was not opened yet/)
  match(await said(0, 'verify'), /the ledger is empty/)
})

test('each act is sealed, and the log verifies', async () => {
  await exclude('one.example')
  await exclude('two.example')
  const head = await said(0, 'head')
  match(
    head,
    /^localhost\/crawl-ledger\/[0-9a-f]{8}\n3\n[A-Za-z0-9+/]{43}=\n\n— localhost\/crawl-ledger\/[0-9a-f]{8} [A-Za-z0-9+/=]+\n$/,
  )
  match(
    await said(0, 'verify'),
    /positions 1 to 3: 3 entries of .* signed heads, 0 kept bodies\n {2}newest head: 3 entries/,
  )
  match(
    await said(0, 'verify'),
    /nothing came since position 3\n {2}positions 1 to 3 and their bodies were not read again/,
  )
  const report: unknown = JSON.parse(await said(0, 'verify', '--full', '--json'))
  ok(typeof report === 'object' && report !== null && 'ok' in report && report.ok === true)
})

test('an auditor checks evidence without a database, and an altered one is refused with code 3', async () => {
  const bundle = join(directory, 'evidence')
  const policy = join(directory, 'policy.txt')
  await writeFile(policy, await said(0, 'keys', '--policy'))
  await said(0, 'evidence', '3', bundle)
  const found = await said(0, 'check-evidence', bundle, '--policy', policy)
  match(found, /^OK: position 3 of the log localhost/)
  match(
    found,
    /logged after the log signed its head of 2 entries, before it signed its head of 3 entries/,
  )
  match(await said(2, 'evidence', '3', bundle), /is not empty/)
  match(await said(1, 'evidence', '9', join(directory, 'none')), /there is no position 9/)
  const event = join(bundle, 'event.json')
  await writeFile(event, (await readFile(event, 'utf8')).replace('two.example', 'six.example'))
  match(
    await said(3, 'check-evidence', bundle, '--policy', policy),
    /proves nothing: event.json: these bytes are not in the log/,
  )
  match(await said(2, 'check-evidence', bundle, '--policy', event), /expected|line/)
})

test('the log is exported, and carried on', async () => {
  const log = join(directory, 'log')
  match(await said(0, 'export', 'tlog', log), /3 entries in .*3 new entries/)
  equal(await readFile(join(log, 'checkpoint'), 'utf8'), await said(0, 'head'))
  match(await said(0, 'export', 'tlog', log), /0 new entries, 1 files/)
})

test('an auditor checks an export without a database, and an altered one is refused with code 3', async () => {
  const log = join(directory, 'log')
  const policy = join(directory, 'policy.txt')
  const vkey = (await said(0, 'keys')).trimEnd()
  match(
    await said(0, 'check-export', log, '--policy', policy),
    /^OK: the log localhost.*, positions 1 to 3\n {2}3 files, /,
  )
  const found: unknown = JSON.parse(await said(0, 'check-export', log, '--vkey', vkey, '--json'))
  ok(typeof found === 'object' && found !== null && 'size' in found && found.size === 3)
  match(await said(2, 'check-export', log), /takes --policy FILE or --vkey VKEY/)
  match(await said(2, 'check-export', log, '--vkey', `${vkey}x`), /--vkey/)
  match(await said(2, 'check-export', join(directory, 'none'), '--vkey', vkey), /no exported log/)
  const bundle = join(log, 'tile/entries/000.p/3')
  const entries = await readFile(bundle, 'latin1')
  await writeFile(bundle, entries.replace('two.example', 'six.example'), 'latin1')
  match(
    await said(3, 'check-export', log, '--vkey', vkey),
    /does not hold: tile\/entries\/000\.p\/3, position 3: the entry is not the one that was logged here/,
  )
  await writeFile(bundle, entries, 'latin1')
  await writeFile(join(log, 'tile/\u001b[2J'), '')
  match(await said(3, 'check-export', log, '--vkey', vkey), /tile\/\\u001b\[2J: it does not belong/)
  await rm(log, { recursive: true })
})

test('the key is rotated by record, and both keys stay in the policy', async () => {
  match(await said(2, 'keys', '--rotate'), /--by NAME/)
  const keys = await said(0, 'keys', '--rotate', '--by', 'A. Operator', '--note', 'a new machine')
  equal(keys.trimEnd().split('\n').length, 2)
  match(await said(0, 'log', '--type', 'KeyRotated'), /by A. Operator: a new machine/)
  match(await said(0, 'verify', '--full'), /positions 1 to 4/)
})

test('after restoring a backup that is too old nothing is recorded or signed, and how to go on is said', async () => {
  await stopped()
  const backup = join(directory, 'backup')
  await cp(join(data, 'postgres'), backup, { recursive: true })
  await exclude('three.example')
  await stopped()
  await rename(join(data, 'postgres'), join(directory, 'newer'))
  await rename(backup, join(data, 'postgres'))
  const refused = await said(3, 'exclude', 'four.example', '--by', 'A. Operator')
  match(
    refused,
    /position 5: this log has signed a head of 5 entries, and the database holds 4: it was set back.*Restore a backup that reaches position 5/,
  )
  match(await said(3, 'verify'), /position 5: .*5/)
  match(
    refused,
    /crawl-ledger open-log --data NEW-DIRECTORY --after THIS-DIRECTORY\/signing\/last-signed/,
  )
  // What is there can still be read, and handed on as evidence.
  await said(0, 'evidence', '2', join(directory, 'evidence-of-the-old'))
  await goesOnInANewLog(join(data, 'signing/last-signed'))
  equal((await said(0, 'log', '--jsonl')).trimEnd().split('\n').length, 4)
  await stopped()
  await rm(join(data, 'postgres'), { recursive: true })
  await rename(join(directory, 'newer'), join(data, 'postgres'))
  await exclude('four.example')
  match(await said(0, 'verify', '--full'), /positions 1 to 6/)
  deepEqual((await said(0, 'head')).split('\n')[1], '6')
})

/** Without the newer backup: the first entry of the new log quotes the last head of the old one. */
const goesOnInANewLog = async (lastSigned: string): Promise<void> => {
  const old = data
  const quoted = await readFile(lastSigned, 'utf8')
  const [name = '', size = ''] = quoted.split('\n')
  match(await said(2, 'open-log', '--after', lastSigned), /the database holds the log .* already/)
  data = join(directory, 'next')
  const rehearsed = ['open-log', '--after', lastSigned, '--clock', 'simulated'] as const
  match(await said(2, ...rehearsed), /cannot be followed by a log with the simulated clock/)
  match(await said(2, 'open-log', '--after', lastSigned, '--origin', name), /has this name already/)
  match(await said(2, 'open-log', '--after', join(old, 'verified.json')), /signed note/)
  const opened = await said(0, 'open-log', '--after', lastSigned, '--origin', 'next.example/log')
  equal(
    opened,
    `the log next.example/log is open; it follows ${name}, which ended with ${size} entries\n`,
  )
  match(await said(2, 'open-log'), /the database holds the log next.example\/log already/)
  ok((await said(0, 'log', '--jsonl')).includes(`"predecessor":${JSON.stringify(quoted)}`))
  match(await said(0, 'log'), new RegExp(`follows ${name}, which ended with ${size} entries`))
  await crawls()
  match(
    await said(0, 'verify'),
    new RegExp(`it follows the log ${name}, whose last head it quotes: ${size} entries`),
  )
  data = old
}

/** A night against nobody: its one source refuses the connection. */
const crawls = async (): Promise<void> => {
  const list = join(directory, 'networks.txt')
  await writeFile(list, 'https://network.example/sellers.json\n')
  const nobody = ['--resolve', '*=127.0.0.1:1'] as const
  await said(0, 'run', 'plain-reckoner', '--sources', list, ...nobody)
  const [first] = (await said(0, 'log', '--type', 'RunStarted', '--jsonl')).split('\n')
  ok(first !== '')
}
