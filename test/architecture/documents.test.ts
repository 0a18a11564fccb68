/** What the documents say is there, is there. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { eventsDoc } from '../../scripts/events-doc.ts'
import { present } from '../../src/kernel/assert.ts'
import { parse, t } from '../../src/kernel/codec.ts'
import { EVENTS } from '../../src/ledger/event.ts'
import { right } from '../support/either.ts'
import { filesOf, projectRoot, readProjectFile } from '../support/sources.ts'

const documents = filesOf('*.md', 'docs/**/*.md')

test('there is a document for each reader', () => {
  const expected = [
    'ARCHITECTURE.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'README.md',
    'docs/decisions/0001-platform.md',
    'docs/events.md',
    'docs/glossary.md',
    'docs/operating.md',
    'docs/threat-model.md',
  ]
  deepEqual(
    expected.filter((path) => !documents.includes(path)),
    [],
  )
})

test('docs/events.md says what the codecs say (npm run docs:events)', () => {
  equal(readProjectFile('docs/events.md'), eventsDoc())
  for (const { type } of EVENTS) ok(eventsDoc().includes(`\n## ${type}\n`), type)
})

/** The form that GitHub and others give a heading's anchor. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const anchorsOf = (document: string): readonly string[] =>
  [...readProjectFile(document).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    anchorOf(present(heading, 'a heading')),
  )

for (const document of documents) {
  const text = readProjectFile(document)

  test(`${document}: every link leads somewhere`, () => {
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue
      const [path = '', anchor] = target.split('#')
      const linked = path === '' ? document : normalize(join(dirname(document), path))
      ok(existsSync(join(projectRoot, linked)), `${target} in ${document}`)
      if (anchor !== undefined) ok(anchorsOf(linked).includes(anchor), `${target} in ${document}`)
    }
  })

  test(`${document}: every npm script and every script it names exists`, () => {
    const { scripts } = manifest
    for (const [, name = ''] of text.matchAll(/npm run ([a-z:-]+)/g))
      ok(Object.hasOwn(scripts, name), `npm run ${name} in ${document}`)
    for (const [path] of text.matchAll(/(?<![\w/.])(?:scripts|bin|src|test|schema)\/[\w./-]*\w/g))
      ok(existsSync(join(projectRoot, path)) || /<|\*/.test(path), `${path} in ${document}`)
  })
}

const Manifest = t.type({
  engines: t.type({ node: t.string }),
  scripts: t.record(t.string, t.string),
  dependencies: t.record(t.string, t.string),
  devDependencies: t.record(t.string, t.string),
  optionalDependencies: t.record(t.string, t.string),
})
const manifest = right(parse('package.json', Manifest, JSON.parse(readProjectFile('package.json'))))

test('the glossary has each word once, in order, with its meaning and its source', () => {
  const rows = [...readProjectFile('docs/glossary.md').matchAll(/^\| (.+) \| (.+) \| (.+) \|$/gm)]
    .map(([, word = '', meaning = '', source = '']) => ({ word, meaning, source }))
    .slice(2)
  const words = rows.map(({ word }) => word)
  deepEqual(
    words,
    [...new Set(words)].toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
  )
  for (const { word, meaning, source } of rows)
    ok(meaning.length > 10 && source.length > 2, `${word}: ${meaning} (${source})`)
  const needed =
    'capture checkpoint citation event evidence fact head incident memento night origin position programme projection reader reading site snapshot stream version'
  deepEqual(
    needed.split(' ').filter((word) => !words.includes(word)),
    [],
  )
})

/** Words that tell where a file was made, not what it is; in brackets, so that this file has none. */
const machineWords =
  /\/(?:h[o]me|r[o]ot|w[o]rk|U[s]ers)\/[\w.-]|registry\.n[p]mjs|"r[e]solved": *"http|sub[a]gent/

test('no file of the project names a machine, a folder of its author or a package registry', () => {
  const everything = filesOf(
    '*',
    '.*',
    '.{ci,githooks}/*',
    '{bin,docs,schema,scripts,src,projections,test}/**/*',
  ).filter((path) => /\.(?:ts|md|json|cjs|sql|sh|txt|html)$|^\.|\/[a-z-]+$/.test(path))
  const marked = everything
    .filter((path) => isFile(path))
    .filter((path) => machineWords.test(readProjectFile(path)))
  deepEqual(marked, [])
})

const isFile = (path: string): boolean => {
  try {
    readProjectFile(path)
    return true
  } catch {
    return false
  }
}

test('every dependency has an exact version', () => {
  const { dependencies, devDependencies, optionalDependencies } = manifest
  const all = { ...dependencies, ...devDependencies, ...optionalDependencies }
  const loose = Object.entries(all).filter(
    ([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version),
  )
  deepEqual(loose, [])
})
