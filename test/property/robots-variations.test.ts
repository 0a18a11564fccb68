/**
 * Small files of every kind, each with its decision, rewritten at random in ways that must not
 * matter: the decision stays, and so does the rule that gives it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHttpUrl } from '../../src/kernel/url.ts'
import { decideRobots } from '../../src/robots/decide.ts'
import { readRobots } from '../../src/robots/read.ts'
import { right } from '../support/either.ts'
import { fc } from '../support/property.ts'

/** Lines of a file; then path, agent, verdict, and the winning line (0: none). */
type Kind = readonly [
  lines: readonly string[],
  ...decisions: (readonly [path: string, agent: string, allowed: boolean, line: number])[],
]

const KINDS: Readonly<Record<string, Kind>> = {
  'RFC9309_2.1 groups, a rule parts them': [
    [
      'User-agent: A',
      'User-agent: B',
      'Disallow: /x',
      'User-agent: C',
      'Allow: /x/y',
      'Disallow: /',
    ],
    ['/x', 'A', false, 3],
    ['/x', 'B', false, 3],
    ['/x', 'C', false, 6],
    ['/x/y', 'C', true, 5],
    ['/x', 'D', true, 0],
  ],
  'RFC9309_2.2.1 own groups merged, in place of *': [
    [
      'User-agent: *',
      'Disallow: /',
      'User-agent: A',
      'Disallow: /a',
      'User-agent: b',
      'Disallow: /b',
      'User-agent: A',
      'User-agent: B',
      'Allow: /a/b',
    ],
    ['/a/c', 'A', false, 4],
    ['/a/b', 'A', true, 9],
    ['/b', 'B', false, 6],
    ['/q', 'A', true, 0],
    ['/q', 'Other', false, 2],
  ],
  'RFC9309_2.2.4 other records between agents (PK8)': [
    [
      'User-agent: A',
      'Crawl-delay: 5',
      'User-agent: B',
      'Sitemap: https://s.example/x',
      'User-agent: C',
      'Disallow: /',
    ],
    ['/', 'A', false, 6],
    ['/', 'B', false, 6],
    ['/', 'C', false, 6],
  ],
  'RFC9309_2.1 an empty last group': [
    ['User-agent: *', 'Disallow: /', 'User-agent: A'],
    ['/', 'A', true, 0],
    ['/', 'B', false, 2],
  ],
  'RFC9309_2.2.1 tokens are whole': [
    [
      'User-agent: Bot',
      'Disallow: /',
      'User-agent: BotX/2.0',
      'Disallow: /x',
      'User-agent: 4bot',
      'Disallow: /',
    ],
    ['/', 'Bot', false, 2],
    ['/y', 'BotX', true, 0],
    ['/x', 'BotX', false, 4],
    ['/', 'BotXY', true, 0],
  ],
  'RFC9309_2.2.2 most octets, Allow between equals': [
    [
      'User-agent: *',
      'Allow: /p',
      'Disallow: /',
      'Disallow: /p/q',
      'Allow: /p/q',
      'Disallow: /p/q/r',
    ],
    ['/', 'A', false, 3],
    ['/p', 'A', true, 2],
    ['/p/q', 'A', true, 5],
    ['/p/q/r', 'A', false, 6],
  ],
  'RFC9309_2.2.3 wildcards and the end': [
    ['User-agent: *', 'Disallow: /*.gif$', 'Disallow: /a*b*c', 'Allow: /*?', 'Disallow: */z/'],
    ['/x.gif', 'A', false, 2],
    ['/x.gif/', 'A', true, 0],
    ['/aXbXcX', 'A', false, 3],
    ['/abc?', 'A', false, 3],
    ['/q?', 'A', true, 4],
    ['/y/z/', 'A', false, 5],
  ],
  'RFC9309_2.2.2 octets on both sides': [
    [
      'User-agent: *',
      'Disallow: /ü',
      'Disallow: /~joe',
      'Disallow: /a%2Fb',
      'Disallow: /foo-%24',
      'Disallow: /x%2Ay',
      'Disallow: /q w',
    ],
    ['/ü/1', 'A', false, 2],
    ['/~joe/', 'A', false, 3],
    ['/a/b', 'A', true, 0],
    ['/a%2Fb', 'A', false, 4],
    ['/foo-$', 'A', false, 5],
    ['/x*y', 'A', false, 6],
    ['/xzy', 'A', true, 0],
    ['/q w', 'A', false, 7],
  ],
  'RFC9309_2.2.2 no rule, and robots.txt itself': [
    ['User-agent: *', 'Disallow:', 'Allow:', 'User-agent: A', 'Disallow: /'],
    ['/x', 'B', true, 0],
    ['/robots.txt', 'A', true, 0],
    ['/robots.txt?', 'A', false, 5],
  ],
  'RFC9309_2.2 every other query and path': [
    ['User-agent: *', 'Disallow: /?', 'Disallow: /;', 'Disallow: //d/'],
    ['/', 'A', true, 0],
    ['?q', 'A', false, 2],
    ['/;p', 'A', false, 3],
    ['/d/', 'A', true, 0],
    ['//d/', 'A', false, 4],
  ],
}

// --- what may not matter, each as a rewriting of lines that remember where they come from --------

/** `line` is the number in the original file; 0 if it was added. */
type Line = { readonly text: string; readonly line: number }
type Rewriting = (lines: readonly Line[], random: () => number) => readonly Line[]

/** Numbers from 0 to 1 that one seed repeats: a rewriting needs an unknown number of them. */
const chances = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
}

const pick = <A>(random: () => number, [first, ...rest]: readonly [A, ...A[]]): A =>
  [first, ...rest][Math.floor(random() * (rest.length + 1))] ?? first

const each =
  (rewrite: (key: string, value: string, random: () => number) => string): Rewriting =>
  (lines, random) =>
    lines.map(({ text, line }) => {
      const colon = text.indexOf(':')
      const [key, value] = [text.slice(0, colon), text.slice(colon + 1).trim()]
      return line === 0 || colon < 0 ? { text, line } : { text: rewrite(key, value, random), line }
    })

const anyCase = (text: string, random: () => number): string =>
  Array.from(text, (c) => (random() < 0.5 ? c.toUpperCase() : c.toLowerCase())).join('')

const space = (random: () => number): string => pick(random, ['', ' ', '\t', ' \t  '])

const isAgent = (key: string): boolean => /agent/i.test(key)

/** Percent-encodes some octets that mean the same encoded. */
const encodedHere = (text: string, random: () => number): string =>
  Array.from(text, (c) => {
    if (/[A-Za-z0-9\-._~]/.test(c) ? random() > 0.3 : /^[\x20-\x7e]$/.test(c)) return c
    const encoded = Array.from(Buffer.from(c), (octet) => `%${octet.toString(16).padStart(2, '0')}`)
    return random() < 0.5 ? encoded.join('') : encoded.join('').toUpperCase()
  }).join('')

/** Not inside an octet that is encoded already. */
const encoded = (text: string, random: () => number): string =>
  text
    .split(/(%[0-9A-Fa-f]{2})/)
    .map((part, i) => (i % 2 === 0 ? encodedHere(part, random) : anyCase(part, random)))
    .join('')

const NOISE = [
  '',
  ' \t',
  '# Disallow: /',
  'Host: h.example',
  'Sitemap: /s.xml',
  'Crawl-delay: 1',
  'Clean-param: a /',
  'Some prose',
  'Content-Signal: ai-train=no',
] as const

const REWRITINGS: readonly Rewriting[] = [
  each((key, value, random) => `${key}: ${isAgent(key) ? value : encoded(value, random)}`),
  each((key, value, random) => `${anyCase(key, random)}: ${value}`),
  each((key, value, random) => `${key}: ${isAgent(key) ? anyCase(value, random) : value}`),
  each(
    (key, value, random) =>
      `${space(random)}${key}${space(random)}:${space(random)}${value}${space(random)}`,
  ),
  each((key, value, random) => `${key}: ${value}${pick(random, ['', '#x', ' # Allow: /', '\t#'])}`),
  each((key, value, random) =>
    isAgent(key) && /^[A-Za-z]+$/.test(value)
      ? `${key}: ${value}${pick(random, ['/1.0', ' x', ' (y)', ';'])}`
      : `${key}: ${value}`,
  ),
  each(
    (key, value, random) =>
      `${/^disallow$/i.test(key) ? pick(random, ['Dissallow', 'Disalow', 'DISALLOW']) : key}: ${value}`,
  ),
  (lines, random) =>
    lines.flatMap((line) =>
      random() < 0.4 ? [{ text: pick(random, [...NOISE]), line: 0 }, line] : [line],
    ),
  (lines) => [{ text: 'Disallow: /', line: 0 }, ...lines],
  (lines) => [
    ...['User-agent: Stranger', 'User-agent: Unknown', 'Disallow: /'].map((text) => ({
      text,
      line: 0,
    })),
    ...lines,
  ],
  // An equal rule behind the first changes nothing; the first is the one that is named.
  (lines) =>
    lines.flatMap((line) =>
      /allow/i.test(line.text) && line.line > 0 ? [line, { ...line, line: 0 }] : [line],
    ),
]

const MARKS = ['', '\u00ef', '\u00ef\u00bb', '\u00ef\u00bb\u00bf'] as const
const ENDS = ['\n', '\r', '\r\n'] as const

const octetsOf = (lines: readonly Line[], random: () => number): Buffer => {
  // One kind of line end for the file or, where no blank CR LF can arise, one for each line.
  const end = pick(random, [...ENDS])
  const mixed = random() < 0.3
  const text = lines
    .map(({ text: line }) => (mixed ? `${line} ${pick(random, ['\n', '\r\n'])}` : `${line}${end}`))
    .join('')
  const whole = random() < 0.3 ? text.replace(/[\r\n]+$/, '') : text
  return Buffer.concat([
    Buffer.from(pick(random, [...MARKS]), 'latin1'),
    Buffer.from(whole, 'utf8'),
  ])
}

for (const [name, [lines, ...decisions]] of Object.entries(KINDS)) {
  const numbered = lines.map((text, i) => ({ text, line: i + 1 }))
  for (const [path, agent, allowed, line] of decisions) {
    test(`${name}: ${path} for ${agent} is ${allowed ? 'allowed' : 'forbidden'}, however it is written`, () => {
      const rewritings = fc.subarray([...REWRITINGS])
      fc.assert(
        fc.property(rewritings, fc.nat(), (chosen, seed) => {
          const random = chances(seed)
          const rewritten = chosen.reduce<readonly Line[]>(
            (before, rewrite) => rewrite(before, random),
            numbered,
          )
          const bytes = octetsOf(rewritten, random)
          const asked = random() < 0.5 ? path : encoded(path, random)
          const url = right(parseHttpUrl(`https://shop.example${asked}`))
          const verdict = decideRobots(readRobots(bytes), agent, url)
          const at = verdict.rule === null ? 0 : (rewritten[verdict.rule.line - 1]?.line ?? -1)
          assert.deepEqual(
            { allowed: verdict.allowed, line: at },
            { allowed, line },
            `${url} by ${JSON.stringify(bytes.toString('latin1'))}`,
          )
        }),
      )
    })
  }
}
