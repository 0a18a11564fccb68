/** Witnesses as an operator, an auditor and an attacker meet them: the program against real ones. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, open, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse, t } from '../../src/kernel/codec.ts'
import { right } from '../support/either.ts'
import { type MiniWitness, miniWitness } from '../support/mini-witness.ts'

const PROGRAM = join(import.meta.dirname, '../../src/cli.ts')

let directory = ''
let data = ''
const witnesses: MiniWitness[] = []
before(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'witness-e2e-')))
  data = join(directory, 'data')
  for (const seed of [1, 2, 3])
    witnesses.push(await miniWitness(`w${seed}.example/w`, seed, directory))
})
after(async () => {
  for (const { close } of witnesses) await close()
  await rm(directory, { recursive: true, force: true, maxRetries: 5 })
})

type Said = { readonly out: string; readonly err: string }

/** Not at once as spawnSync does it: the witnesses are in this very process, and must answer. */
const said = async (code: number, ...args: readonly string[]): Promise<Said> => {
  const [out, err] = [join(directory, 'out'), join(directory, 'err')]
  const [toOut, toErr] = [await open(out, 'w'), await open(err, 'w')]
  const withData = args[0] === 'check-evidence' ? args : [...args, '--data', data]
  const child = spawn(process.execPath, [PROGRAM, ...withData], {
    env: { ...process.env, CRAWL_LEDGER_DATABASE_URL: '' },
    stdio: ['ignore', toOut.fd, toErr.fd],
  })
  await once(child, 'close')
  await Promise.all([toOut.close(), toErr.close()])
  const told = { out: await readFile(out, 'utf8'), err: await readFile(err, 'utf8') }
  equal(child.exitCode, code, `${args.join(' ')}: ${told.err}`)
  return told
}
const exclude = (code: number, site: string): Promise<Said> =>
  said(code, 'exclude', site, '--by', 'A. Operator')

const stopped = async (): Promise<void> => {
  while (
    existsSync(join(data, 'postgres/data/postmaster.pid')) ||
    existsSync(join(data, 'postgres/postmaster.pid'))
  )
    await sleep(100)
}

const Listed = t.type({
  quorum: t.number,
  witnesses: t.array(
    t.type({ name: t.string, cosigned: t.union([t.type({ size: t.number }), t.null]) }),
  ),
})
const listed = async () =>
  right(parse('list', Listed, JSON.parse((await said(0, 'witness', 'list', '--json')).out)))

test('witnesses are named; what cannot be one is refused with what to do', async () => {
  match((await said(0, 'witness', 'list')).out, /witness add names one/)
  await exclude(0, 'one.example')
  const key = (await said(0, 'keys')).out.trimEnd()
  for (const { know } of witnesses) know(key)
  for (const { url, vkey } of witnesses)
    await said(0, 'witness', 'add', url, vkey, '--by', 'A. Operator')
  const [first] = witnesses
  ok(first)
  match((await said(2, 'witness', 'add', first.url, first.vkey)).err, /already.*witness remove/)
  match((await said(2, 'witness', 'add', 'w.example', first.vkey)).err, /no address of a witness/)
  match((await said(2, 'witness', 'add', first.url, key)).err, /0x04/)
  match((await said(1, 'witness', 'remove', 'nobody')).err, /no witness nobody/)
  match((await said(2, 'witness', 'quorum', '4')).err, /from 1 to .* which is 3/)
  match((await said(0, 'log', '--type', 'WitnessesNamed')).out, /w1\.example\/w, w2\.example\/w/)
  const { quorum, witnesses: list } = await listed()
  equal(quorum, 2)
  deepEqual(
    list.map(({ name, cosigned }) => [name, cosigned?.size]),
    witnesses.map(({ name }) => [name, 5]),
  )
})

test('an act is cosigned; head, policy and evidence show it, and an auditor checks it offline', async () => {
  await exclude(0, 'two.example')
  const { out, err } = await said(0, 'head')
  equal(out.split('\n').filter((line) => line.startsWith('— w')).length, 3)
  match(err, /cosigned by w1\.example\/w at 20/)
  const policy = join(directory, 'policy.txt')
  await writeFile(policy, (await said(0, 'keys', '--policy')).out)
  match(
    await readFile(policy, 'utf8'),
    /\ngroup witnesses 2 w1\.example\/w w2.* w3.*\nquorum witnesses\n$/,
  )
  const bundle = join(directory, 'evidence')
  await said(0, 'evidence', '6', bundle)
  const found = (await said(0, 'check-evidence', bundle, '--policy', policy)).out
  match(
    found,
    /logged after the log signed its head of 5 entries \(witnessed 20.*of 6 entries \(witnessed 20/,
  )
  match(found, /according to the witnesses w1\.example\/w, w2\.example\/w, w3\.example\/w/)
  await said(0, 'export', 'tlog', join(directory, 'log'))
  equal(await readFile(join(directory, 'log/checkpoint'), 'utf8'), out)
  match((await said(0, 'verify', '--full')).out, /signed heads with \d+ cosignatures/)
})

test('one that is dead and one that never answers cost a line; without the quorum there is no evidence yet', async () => {
  const [, second, third] = witnesses
  ok(second && third)
  second.be('never-answers')
  third.be('fails')
  const { err } = await exclude(0, 'three.example')
  match(err, /the witness w2\.example\/w has not cosigned: it did not answer in time/)
  match(err, /the witness w3\.example\/w has not cosigned: it answers with status 500/)
  match(
    (await said(1, 'evidence', '7', join(directory, 'none'))).err,
    /position 7 is cosigned by 2 of 3 witnesses yet/,
  )
  for (const witness of [second, third]) witness.be(undefined)
  await said(0, 'evidence', '7', join(directory, 'later'))
})

test('database and signing put back from an older backup: nothing begins, and the newer one goes on', async () => {
  await stopped()
  const backup = join(directory, 'backup')
  await cp(data, backup, { recursive: true })
  await exclude(0, 'four.example')
  await stopped()
  await rename(data, join(directory, 'newer'))
  await cp(backup, data, { recursive: true })
  const why =
    /position 8: the witness w1\.example\/w has cosigned a head of 8 entries of this log, whose newest head here had 7: it was set back\. Restore a backup/
  match((await exclude(3, 'five.example')).err, why)
  match((await said(0, 'witness', 'list')).out, /w1\.example\/w has cosigned a head of 8 entries/)
  // An insider who tells the program to forget one of them still has the others against him.
  match((await said(3, 'witness', 'remove', 'w1.example/w')).err, /the witness w2\.example\/w has/)
  equal((await said(0, 'log', '--jsonl')).out.trimEnd().split('\n').length, 7)
  await stopped()
  await rm(data, { recursive: true })
  await rename(join(directory, 'newer'), data)
  await exclude(0, 'five.example')
  equal((await said(0, 'head')).out.split('\n')[1], '9')
  match((await said(0, 'verify', '--full')).out, /positions 1 to 9/)
})

test('an old head that was genuine shows its age, and what it lacks is not in its evidence', async () => {
  const old = await readFile(join(directory, 'log/checkpoint'), 'utf8')
  const now = (await said(0, 'head')).out
  equal(old.split('\n')[1], '6')
  equal(now.split('\n')[1], '9')
  // Whoever replays it has no cosignature that is fresh: the times are those of then.
  const timesIn = (note: string): readonly number[] =>
    note
      .split('\n')
      .filter((line) => line.startsWith('— w'))
      .map((line) => Number(Buffer.from(line.split(' ')[2] ?? '', 'base64').readBigUInt64BE(4)))
  equal(timesIn(old).length, 3)
  ok(Math.max(...timesIn(old)) < Math.max(...timesIn(now)))
})
