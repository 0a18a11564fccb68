/** Every command that a document or a script shows is one that the program takes. */
import { deepEqual, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from 'commander'
import type { Io } from '../../src/cli/command.ts'
import { VERBS } from '../../src/cli/verbs.ts'
import { filesOf, readProjectFile } from '../support/sources.ts'

const io: Io = {
  out: () => Promise.resolve(),
  err: () => undefined,
  in: (async function* none() {})(),
  isTerminal: false,
  columns: 80,
  environment: {},
  stop: new AbortController().signal,
  exitWith: () => undefined,
}
const verbs = new Map<string, Command>(
  VERBS.map((verb) => verb(io)).map((command) => [command.name(), command]),
)

/** Words of a command line, without its comment; a quoted word is one. */
const wordsOf = (line: string): readonly string[] =>
  (line.replace(/\s#\s.*$/, '').match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) =>
    word.replaceAll(/^['"]|['"]$/g, ''),
  )

type Shown = { readonly where: string; readonly words: readonly string[] }

const shownIn = (path: string): readonly Shown[] =>
  [...readProjectFile(path).matchAll(/(?:npx |bin\/)crawl-ledger ([a-z-][^`\n]*)/g)].map(
    ([, rest = '']) => ({ where: `${path}: ${rest}`, words: wordsOf(rest) }),
  )

const shown = [...filesOf('*.md', 'docs/*.md'), 'scripts/start'].flatMap(shownIn)

test('documents show commands', () => {
  ok(shown.length >= 10, `${shown.length} commands`)
})

const optionsOf = (command: Command): readonly string[] => [
  '--help',
  ...command.options.flatMap(({ long, short }) => [long, short]).filter((flag) => flag != null),
]

/** The command that the words name, and the words behind it. */
const commandOf = (words: readonly string[]): readonly [Command | undefined, readonly string[]] => {
  const [name = '', inner = ''] = words
  const verb = verbs.get(name)
  const nested = verb?.commands.find((command) => command.name() === inner)
  return nested === undefined ? [verb, words.slice(1)] : [nested, words.slice(2)]
}

for (const { where, words } of shown) {
  test(`as the program takes it: ${where}`, () => {
    if (words[0] === '--help') return
    const [command, rest] = commandOf(words)
    ok(command !== undefined, `no verb ${words[0]}`)
    const flags = rest.filter((word) => /^--?[a-z]/.test(word))
    deepEqual(
      flags.filter((flag) => !optionsOf(command).includes(flag)),
      [],
    )
  })
}

for (const [name, command] of verbs) {
  test(`${name} --help explains itself, its arguments and its options, with an example`, () => {
    let help = ''
    command.configureOutput({ writeOut: (text) => (help += text) })
    command.outputHelp()
    ok(command.description().length > 10)
    for (const argument of command.registeredArguments) ok(argument.description !== '', name)
    for (const option of command.options) ok(option.description !== '', option.long ?? name)
    match(help, new RegExp(`crawl-ledger ${name}\\b`))
  })
}
