/**
 * Real robots.txt files, where they are at hand: each is read and explained, and each difference
 * from robots-parser has a known kind.
 */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { E } from '../../src/kernel/fp.ts'
import { type HttpUrl, parseHttpUrl } from '../../src/kernel/url.ts'
import { decideRobots } from '../../src/robots/decide.ts'
import { explainRobots } from '../../src/robots/explain.ts'
import { readRobots } from '../../src/robots/read.ts'
import type { RobotsFile } from '../../src/robots/robots-file.ts'
import { secondReader } from '../../src/robots/second-reader.ts'

const CORPUS = fileURLToPath(new URL('../../../shared/corpus/robots', import.meta.url))
const absent = !existsSync(CORPUS) && 'no corpus here'

const corpus = (): readonly { name: string; bytes: Buffer }[] =>
  readdirSync(CORPUS, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ name: path.slice(CORPUS.length + 1), bytes: readFileSync(path) }))

const urlOf = (path: string): HttpUrl | undefined => {
  const url = parseHttpUrl(`https://shop.example${path}`)
  return E.isRight(url) ? url.right : undefined
}

/** Some agents the file names, and one it does not. */
const agentsOf = (file: RobotsFile): readonly string[] => {
  const named = file.groups.flatMap(({ agents }) => agents.map(({ name }) => name))
  return ['UnheardOfBot', ...new Set(named.filter((name) => /^[A-Za-z_-]+$/.test(name)))].slice(
    0,
    4,
  )
}

/** Addresses made from the file's own rules. */
const urlsOf = (file: RobotsFile): readonly HttpUrl[] => {
  const patterns = file.groups.flatMap(({ rules }) => rules.map(({ pattern }) => pattern.text))
  const paths = ['/', '/robots.txt', '/x', ...patterns.map((text) => text.replaceAll('*', 'x'))]
  return [...new Set(paths)]
    .filter((path) => path.startsWith('/'))
    .slice(0, 12)
    .flatMap((path) => urlOf(path) ?? [])
}

test('every real file is read, and every decision explained', { skip: absent }, () => {
  const files = corpus()
  for (const { name, bytes } of files) {
    const file = readRobots(bytes)
    for (const agent of agentsOf(file)) {
      const [reason] = explainRobots(file, agent, urlOf('/') ?? assert.fail())
      assert.match(reason ?? '', /^(?:Allowed|Disallowed)/, name)
    }
  }
  assert.ok(files.length > 100)
})

/**
 * The file as we read it, written out so that nothing is left to read in two ways: one record a
 * line, canonical octets, groups apart, an empty group with an empty rule.
 */
const plainly = (file: RobotsFile): Buffer =>
  Buffer.from(
    file.groups
      .flatMap(({ agents, rules }) => [
        ...agents.map(({ name }) => `User-agent: ${name}`),
        'Disallow:',
        ...rules.map(
          ({ verdict, pattern: { text, anchored } }) => `${verdict}: ${text}${anchored ? '$' : ''}`,
        ),
      ])
      .join('\n'),
  )

const OTHER_RECORD = /^[ \t]*(?!user-?agent|user agent|(?:dis)?allow)[^:\r\n]*:[^\r\n]*$/gim
const AFTER_TOKEN = /^([ \t]*user-agent[ \t]*:[ \t]*(?:\*|[\w-]+))(?![\w-])[^\r\n]*$/gim

const withoutOtherRecords = (text: string): string => text.replace(OTHER_RECORD, '# -')
const withBareTokens = (text: string): string => text.replace(AFTER_TOKEN, '$1')

/** What makes two readers differ about one address; undefined: nothing known. */
const kindOf = (bytes: Buffer, agent: string, url: HttpUrl): string | undefined => {
  const file = readRobots(bytes)
  const verdict = decideRobots(file, agent, url)
  const agreesOn = (text: string | Buffer, about = url): boolean => {
    const second = secondReader.answer(Buffer.from(text), agent, about)
    return second.tag === 'Decided' && second.allowed === verdict.allowed
  }
  const text = bytes.toString('utf8')
  if (verdict.basis === 'robots-file') return '/robots.txt is always allowed'
  if (url.endsWith('?')) return 'a bare ? is part of the address'
  if (agreesOn(withoutOtherRecords(text))) return 'another record between User-agent lines'
  if (agreesOn(withBareTokens(withoutOtherRecords(text)))) return 'text after a product token'
  // Where it agrees about the file written plainly, it matches as we do.
  return agreesOn(plainly(file), urlOf(verdict.path) ?? url)
    ? 'bytes, keys, one-line files, empty last groups or octets'
    : undefined
}

test(
  'every difference from robots-parser over real files is of a known kind',
  { skip: absent },
  (t) => {
    const kinds = new Map<string, number>()
    let decisions = 0
    for (const { name, bytes } of corpus()) {
      const file = readRobots(bytes)
      for (const agent of agentsOf(file)) {
        for (const url of urlsOf(file)) {
          const second = secondReader.answer(bytes, agent, url)
          if (second.tag === 'Declined') continue
          decisions += 1
          if (second.allowed === decideRobots(file, agent, url).allowed) continue
          const kind = kindOf(bytes, agent, url)
          assert.ok(kind !== undefined, `${name}: ${agent} ${url}`)
          kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
        }
      }
    }
    assert.ok(decisions > 5_000)
    for (const [kind, count] of kinds) t.diagnostic(`${count} of ${decisions} decisions: ${kind}`)
  },
)
