import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  formatProcessIdentity,
  isProcessGone,
  parseProcessIdentity,
  processIdentity,
  startedOfPs,
  startedOfStat,
} from '../../../../src/adapters/system/process-identity.ts'

const onLinux = process.platform === 'linux'

const own = (): NonNullable<ReturnType<typeof parseProcessIdentity>> => {
  const parsed = parseProcessIdentity(processIdentity())
  assert.ok(parsed !== undefined)
  return parsed
}

test('this process has a name that reads back and stays the same', () => {
  assert.equal(own().pid, process.pid)
  assert.equal(formatProcessIdentity(own()), processIdentity())
  assert.equal(processIdentity(), processIdentity())
})

test('this process is not gone', () => assert.equal(isProcessGone(processIdentity()), false))

test('another process has another name, which tells when it has ended', async () => {
  const module = new URL('../../../../src/adapters/system/process-identity.ts', import.meta.url)
  const script = `
    const { processIdentity } = await import('${module.href}')
    process.stdout.write(processIdentity())
    process.stdin.resume()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script])
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
  const identity = chunk.toString()
  assert.notEqual(identity, processIdentity())
  assert.equal(isProcessGone(identity), false)
  child.stdin.end()
  await once(child, 'close')
  assert.equal(isProcessGone(identity), true)
})

test('a process number used again belongs to another process', () => {
  assert.equal(isProcessGone(formatProcessIdentity({ ...own(), started: '1' })), true)
})

test('a number no process has is gone', () => {
  const { pid } = spawnSync(process.execPath, ['--version'])
  assert.equal(isProcessGone(formatProcessIdentity({ ...own(), pid })), true)
})

test('after the machine was started anew every process of before is gone', () => {
  assert.equal(isProcessGone(formatProcessIdentity({ ...own(), boot: 'another-boot' })), true)
})

test('of a process on another machine nothing is known', () => {
  assert.equal(
    isProcessGone(formatProcessIdentity({ ...own(), host: 'elsewhere.test' })),
    undefined,
  )
})

test('a text that names no process says nothing', () => {
  for (const text of ['', 'a/b/c', 'a/b/0/1', 'a/b/1/x', 'a/b/1/2/3', 'a b/c/1/2', '/b/1/2'])
    assert.equal(isProcessGone(text), undefined, text)
})

test('the parts are read as they stand', () => {
  assert.deepEqual(parseProcessIdentity('host-1.test/0a-1b/42/987'), {
    host: 'host-1.test',
    boot: '0a-1b',
    pid: 42,
    started: '987',
  })
})

const statOf = (name: string, state: string): string =>
  `42 (${name}) ${state} 1 42 42 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 1 0 123456 1000 200 18446744073709551615`

test('proc(5): the start time is field 22, whatever the name holds', () => {
  for (const name of ['node', 'a b', 'odd) S 1 2 3 (', ') Z '])
    assert.equal(startedOfStat(statOf(name, 'S')), '123456', name)
})

test('a process that only waits for its parent has no start time', () => {
  for (const state of ['Z', 'X']) assert.equal(startedOfStat(statOf('node', state)), undefined)
  assert.equal(startedOfStat(''), undefined)
})

test('ps: state and start time', () => {
  const time = 'Mon Nov 30 02:30:00 2026'
  assert.equal(startedOfPs(`S    ${time}\n`), String(Date.UTC(2026, 10, 30, 2, 30)))
  for (const line of ['', 'S', 'S never', `Z ${time}`, `Z+ ${time}`])
    assert.equal(startedOfPs(line), undefined, line)
})

test('a process that ended and was not waited for is gone', { skip: !onLinux }, async () => {
  // The shell becomes a program that never waits for the child it has started.
  const script = 'exec 3<&0; cat <&3 >/dev/null & echo $!; exec sleep 600'
  const parent = spawn('/bin/sh', ['-c', script])
  const read = (pid: number, file: string): string => readFileSync(`/proc/${pid}/${file}`, 'utf8')
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await sleep(5)
  }
  try {
    const [chunk] = (await once(parent.stdout, 'data')) as [Buffer]
    const pid = Number(chunk.toString())
    await until(() => read(parent.pid ?? 0, 'comm') === 'sleep\n')
    const started = startedOfStat(read(pid, 'stat'))
    assert.ok(started !== undefined)
    const identity = formatProcessIdentity({ ...own(), pid, started })
    assert.equal(isProcessGone(identity), false)
    parent.stdin.end()
    await until(() => read(pid, 'stat').includes(') Z '))
    assert.equal(isProcessGone(identity), true)
  } finally {
    parent.kill('SIGKILL')
  }
})
