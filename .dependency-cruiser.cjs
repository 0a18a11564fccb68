/**
 * Who may import whom. kernel ← ledger ← the stages in the order of the data flow ← shell ←
 * compose ← cli; adapters implement ports and see nothing above them; a projection's fold sees
 * kernel and ledger only. `test/architecture/imports.test.ts` runs this and plants violations.
 */

/** The pure stages, in the order in which the data passes them: each may import only earlier ones. */
const STAGES = [
  'programmes',
  'plan',
  'robots',
  'politeness',
  'capture',
  'readers',
  'publish',
  'audit',
]

/** Modules of Node that compute and do nothing else. Everything else of Node is I/O. */
const PURE_NODE = '^(buffer|crypto|url|util|zlib)$'

const folder = (...names) => `^src/(${names.join('|')})/`
const PURE = `${folder('kernel', 'ledger', ...STAGES).slice(0, -1)}/|^projections/[^/]+/`
const ABOVE_CORE = '^src/(shell|adapters|web|cli)/|^src/(compose|config|cli)\\.ts$'

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

/** `library` is imported by the files of `door` and by nothing else. */
const door = (library, files) =>
  rule(
    `${library}-has-one-door`,
    `Only ${files} imports ${library}.`,
    { path: '^(src|projections)/', pathNot: files },
    { path: `^${library}($|/)|node_modules/(@types/)?${library}/` },
  )

module.exports = {
  forbidden: [
    rule('no-cycle', 'A cycle has no order to read it in.', {}, { circular: true }),
    rule(
      'kernel-first',
      'The kernel is below everything.',
      { path: folder('kernel') },
      { path: '^(src|projections)/', pathNot: folder('kernel') },
    ),
    rule(
      'ledger-on-kernel',
      'The ledger knows the kernel, and not who uses it.',
      { path: folder('ledger') },
      { path: '^(src|projections)/', pathNot: folder('kernel', 'ledger') },
    ),
    ...STAGES.map((stage, i) =>
      rule(
        `flow-${stage}`,
        'A stage sees only what comes before it in the flow.',
        { path: folder(stage) },
        {
          path: '^(src|projections)/',
          pathNot: folder('kernel', 'ledger', ...STAGES.slice(0, i + 1)),
        },
      ),
    ),
    rule(
      'audit-judges-alone',
      'An auditor that asked the decider would share its faults: it reads events, and readers only.',
      { path: folder('audit') },
      {
        path: `${folder('politeness')}|^src/capture/(redirect|refusal|conclusion|request)\\.ts$|^src/robots/(ruling|access)\\.ts$`,
      },
    ),
    rule(
      'core-does-no-io',
      'Time, chance, files and sockets come in as arguments.',
      { path: PURE },
      { dependencyTypes: ['core'], pathNot: PURE_NODE },
    ),
    rule(
      'shell-uses-ports',
      'A recipe is given its ports; it neither builds them nor does I/O of its own.',
      { path: folder('shell') },
      { path: '^src/(adapters|web|cli)/|^src/(compose|config|cli)\\.ts$' },
    ),
    rule(
      'adapters-implement-ports',
      'An adapter sees ports and values, nothing that decides the order of things.',
      { path: folder('adapters') },
      { path: '^src/(shell|web|cli)/|^src/(compose|config|cli)\\.ts$|^projections/[^/]+/' },
    ),
    rule(
      'adapters-stand-alone',
      'One adapter can be replaced without touching another.',
      { path: '^src/adapters/([^/]+)/' },
      { path: '^src/adapters/', pathNot: '^src/adapters/$1/' },
    ),
    rule(
      'only-compose-builds-adapters',
      'One file says what the program is made of.',
      { path: '^(src|projections)/', pathNot: '^src/compose\\.ts$|^src/adapters/' },
      { path: folder('adapters') },
    ),
    rule(
      'compose-below-cli',
      'The command line starts the program and is started by nothing.',
      { path: '^(src|projections)/', pathNot: '^src/cli(/|\\.ts$)' },
      { path: '^src/cli(/|\\.ts$)' },
    ),
    rule(
      'web-only-reads',
      'Pages read projections; they hold no adapter and append nothing.',
      { path: folder('web') },
      { path: '^src/(adapters|shell|cli)/|^src/(compose|config|cli)\\.ts$' },
    ),
    rule(
      'projections-stand-alone',
      'A projection can be dropped without touching another.',
      { path: '^projections/([^/]+)/' },
      { path: '^projections/[^/]+/', pathNot: '^projections/$1/' },
    ),
    rule(
      'fold-on-kernel-and-ledger',
      'A fold sees history and the words of a finding; the type of a projection is no dependency.',
      { path: '^projections/[^/]+/fold\\.ts$' },
      {
        path: '^(src|projections)/',
        pathNot: `${folder('kernel', 'ledger')}|^projections/(projection|finding)\\.ts$|^projections/[^/]+/`,
      },
    ),
    rule(
      'fold-takes-types-only',
      'Of projection.ts a fold takes the types.',
      { path: '^projections/[^/]+/fold\\.ts$' },
      { path: '^projections/projection\\.ts$', dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'projections-below-shell',
      'A projection is called; it calls nothing.',
      { path: '^projections/' },
      { path: ABOVE_CORE },
    ),
    door('fp-ts', '^src/kernel/fp\\.ts$'),
    door('io-ts', '^src/kernel/codec\\.ts$'),
    door('tldts', '^src/kernel/site\\.ts$'),
    door('robots-parser', '^src/robots/'),
    door('asn1js', '^src/publish/timestamp\\.ts$'),
    door('commander', '^src/cli(/|\\.ts$)'),
    door('diff', '^src/readers/difference/'),
    door('undici', '^src/adapters/http/'),
    door('pg', '^src/adapters/postgres/'),
    door('kysely', '^src/adapters/postgres/'),
    rule(
      'no-product-on-tests',
      'The product runs without its tests and scripts; only `rehearse` starts the rehearsal web.',
      { path: '^(src|projections)/' },
      { path: '^(test|scripts)/', pathNot: '^scripts/rehearsal/' },
    ),
    rule(
      'rehearsal-from-cli-only',
      'Nothing that runs on the real web knows the rehearsal web.',
      { path: '^(src|projections)/', pathNot: '^src/cli/' },
      { path: '^scripts/rehearsal/' },
    ),
    rule(
      'resolvable',
      'An import that cannot be found hides whatever rule it would break.',
      { path: '^(src|projections)/' },
      { couldNotResolve: true },
    ),
    rule(
      'no-dev-dependency-at-run-time',
      'What the program needs is in `dependencies`.',
      { path: '^(src|projections)/' },
      {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
      },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}
