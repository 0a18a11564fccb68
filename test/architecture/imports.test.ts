/** The import rule of ARCHITECTURE.md, run over the project, and proved to bite. */
import { deepEqual, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { parse, t } from '../../src/kernel/codec.ts'
import { right } from '../support/either.ts'
import { projectRoot } from '../support/sources.ts'

const Report = t.type({
  summary: t.type({
    totalCruised: t.number,
    violations: t.array(t.type({ from: t.string, to: t.string, rule: t.type({ name: t.string }) })),
  }),
})

const cruiser = join(projectRoot, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs')

const cruise = async (folder: string) => {
  const options = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json']
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [cruiser, 'src', 'projections', ...options],
    { cwd: folder, maxBuffer: 64 * 1024 * 1024 },
  )
  return right(parse('dependency-cruiser', Report, JSON.parse(stdout))).summary
}

test('every import in the product goes the way of the data, and none in a circle', async () => {
  const { totalCruised, violations } = await cruise(projectRoot)
  deepEqual(
    violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`),
    [],
  )
  // A cruiser that cannot read TypeScript finds nothing wrong in no modules.
  ok(totalCruised > 50, `${totalCruised} modules cruised`)
})

/** A wrong import: the rule that must name it, the file it stands in, and its text. */
const planted: readonly (readonly [string, string, string])[] = [
  ['kernel-first', 'src/kernel/planted.ts', `import '../ledger/stream.ts'`],
  ['ledger-on-kernel', 'src/ledger/planted.ts', `import '../programmes/policy.ts'`],
  [
    'ledger-on-kernel',
    'src/ledger/events/planted.ts',
    `import '../../../projections/projection.ts'`,
  ],
  ['flow-programmes', 'src/programmes/planted.ts', `export * from '../capture/port.ts'`],
  [
    'flow-robots',
    'src/robots/planted.ts',
    `import type { Fetcher } from '../capture/port.ts'\nexport type A = Fetcher`,
  ],
  ['flow-capture', 'src/capture/planted.ts', `import '../readers/reader.ts'`],
  ['flow-readers', 'src/readers/planted.ts', `import '../shell/planted-target.ts'`],
  ['audit-judges-alone', 'src/audit/planted.ts', `import '../politeness/next-allowed.ts'`],
  ['audit-judges-alone', 'src/audit/planted.ts', `import '../robots/ruling.ts'`],
  [
    'core-does-no-io',
    'src/plan/planted.ts',
    `import { readFileSync } from 'node:fs'\nreadFileSync('/')`,
  ],
  ['core-does-no-io', 'src/kernel/planted-timer.ts', `import 'node:timers/promises'`],
  ['core-does-no-io', 'projections/planted/rows.ts', `import 'node:net'`],
  [
    'shell-uses-ports',
    'src/shell/planted.ts',
    `export const a = import('../adapters/http/planted-target.ts')`,
  ],
  [
    'only-compose-builds-adapters',
    'src/config-planted.ts',
    `import './adapters/http/planted-target.ts'`,
  ],
  [
    'adapters-implement-ports',
    'src/adapters/system/planted.ts',
    `import '../../shell/planted-target.ts'`,
  ],
  ['adapters-stand-alone', 'src/adapters/bodies/planted.ts', `import '../http/planted-target.ts'`],
  ['web-only-reads', 'src/web/planted.ts', `import '../adapters/http/planted-target.ts'`],
  ['compose-below-cli', 'src/planted-compose.ts', `import './cli.ts'`],
  ['projections-stand-alone', 'projections/planted/fold.ts', `import '../planted-too/fold.ts'`],
  [
    'projections-below-shell',
    'projections/planted/fold.ts',
    `import '../../src/shell/planted-target.ts'`,
  ],
  [
    'fold-on-kernel-and-ledger',
    'projections/planted/fold.ts',
    `import '../../src/programmes/policy.ts'`,
  ],
  ['fold-takes-types-only', 'projections/planted/fold.ts', `import '../projection.ts'`],
  ['fp-ts-has-one-door', 'src/robots/planted.ts', `import 'fp-ts/lib/Option.js'`],
  ['diff-has-one-door', 'src/shell/planted.ts', `import 'diff'`],
  ['io-ts-has-one-door', 'src/shell/planted.ts', `import * as t from 'io-ts'\nt.string`],
  ['tldts-has-one-door', 'src/politeness/planted.ts', `import 'tldts'`],
  ['robots-parser-has-one-door', 'src/audit/planted.ts', `import 'robots-parser'`],
  ['commander-has-one-door', 'src/config-planted.ts', `import 'commander'`],
  ['undici-has-one-door', 'src/adapters/system/planted.ts', `import 'undici'`],
  [
    'pg-has-one-door',
    'src/shell/planted.ts',
    `import type { Pool } from 'pg'\nexport type P = Pool`,
  ],
  ['kysely-has-one-door', 'src/web/planted.ts', `import 'kysely'`],
  ['no-product-on-tests', 'src/plan/planted.ts', `import '../../test/planted-target.ts'`],
  [
    'rehearsal-from-cli-only',
    'src/shell/planted.ts',
    `import '../../scripts/rehearsal/planted-target.ts'`,
  ],
  ['no-dev-dependency-at-run-time', 'src/readers/planted.ts', `import 'fast-check'`],
  ['resolvable', 'src/audit/planted.ts', `import './missing.ts'`],
  ['no-cycle', 'src/publish/planted.ts', `import './planted_back.ts'`],
]
const targets: readonly (readonly [string, string])[] = [
  ['src/shell/planted-target.ts', ''],
  ['src/adapters/http/planted-target.ts', ''],
  ['projections/planted-too/fold.ts', ''],
  ['test/planted-target.ts', ''],
  ['scripts/rehearsal/planted-target.ts', ''],
  ['src/publish/planted_back.ts', `import './planted.ts'`],
]

let copy = ''
let violations: Awaited<ReturnType<typeof cruise>>['violations'] = []

before(async () => {
  copy = await mkdtemp(join(tmpdir(), 'crawl-ledger-imports-'))
  const parts = ['src', 'projections', '.dependency-cruiser.cjs', 'tsconfig.json', 'package.json']
  for (const part of parts) await cp(join(projectRoot, part), join(copy, part), { recursive: true })
  await symlink(join(projectRoot, 'node_modules'), join(copy, 'node_modules'))
  const texts = Map.groupBy(
    [...targets, ...planted.map(([, path, text]) => [path, text] as const)],
    ([path]) => path,
  )
  for (const [path, lines] of texts) {
    await mkdir(dirname(join(copy, path)), { recursive: true })
    await writeFile(join(copy, path), lines.map(([, text]) => text).join('\n'))
  }
  violations = (await cruise(copy)).violations
})

after(() => rm(copy, { recursive: true, force: true }))

for (const [rule, path, text] of planted) {
  test(`a planted breach is caught: ${rule} by ${text.split('\n')[0]} in ${path}`, () => {
    // A circle is reported once, from one of its files.
    const caught = violations.filter(({ from, to }) => from === path || to === path)
    const by = caught.map((violation) => violation.rule.name)
    ok(by.includes(rule), `${path} was only caught by: ${by.join(', ')}`)
  })
}
