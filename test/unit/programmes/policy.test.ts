import { deepEqual, equal, match } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { describeParseFailure } from '../../../src/kernel/codec.ts'
import { parsePolicy } from '../../../src/programmes/policy-file.ts'
import { discardedPaths } from '../../../src/programmes/policy.ts'
import { left, right } from '../../support/either.ts'

const file = new URL('../../../src/programmes/plain-reckoner/policy.json', import.meta.url)
const shipped = readFileSync(file, 'utf8')
const policy = right(parsePolicy('policy.json', shipped))

type Tree = { [key: string]: unknown }
/** The shipped policy with the value at a dotted path replaced, or left out. */
const changed = (path: string, value: unknown): string => {
  const tree = JSON.parse(shipped) as Tree
  const keys = path.split('.')
  const last = keys.pop() ?? ''
  const parent = keys.reduce((node, key) => node[key] as Tree, tree)
  if (value === undefined) delete parent[last]
  else parent[last] = value
  return JSON.stringify(tree)
}
const refusal = (path: string, value: unknown): string =>
  describeParseFailure(left(parsePolicy('policy.json', changed(path, value))))

test('PR1: PlainReckonerBot asks a publisher for exactly three paths', () => {
  const { order, fetch } = policy
  deepEqual(
    order.site.map((purpose) => fetch[purpose]?.path),
    ['/robots.txt', '/ads.txt', '/'],
  )
  equal(fetch.homepage?.redirects, 'root-of-site')
  equal(fetch['ads-txt']?.redirects, 'iab')
})

test('PR2: robots.txt is first, at publishers and at networks', () => {
  equal(policy.order.site[0], 'robots')
  equal(policy.order.source[0], 'robots')
})

test('PR3, PR4: its own token decides, and only robots.txt and ads.txt are exempt', () => {
  equal(policy.robotsToken, 'PlainReckonerBot')
  const exempt = Object.entries(policy.fetch).filter(([, rule]) => rule.exemptFromRobots)
  deepEqual(
    exempt.map(([purpose]) => purpose),
    ['robots', 'ads-txt'],
  )
})

test('PR5, PR6, PR7, PR8, PR9: once a day, a pause, four strikes, 30 seconds, back off', () => {
  equal(policy.once.hoursAtLeast >= 1, true)
  equal(policy.pauseSeconds >= 1, true)
  equal(policy.strikes.limit, 4)
  equal(policy.crawlDelay.maxSeconds, 30)
  deepEqual(policy.backOff, {
    restOfNight: true,
    honourRetryAfter: true,
    statuses: [429],
  })
  equal(policy.retries.limit, 0)
})

test('PR11, PR12: robots.txt and ads.txt are kept as served, the homepage never', () => {
  equal(policy.fetch.robots.keep, 'as-served')
  equal(policy.fetch['ads-txt']?.keep, 'as-served')
  equal(policy.fetch.homepage?.keep, 'discard')
})

test('PR12: no other file is read from where the homepage lies', () => {
  for (const purpose of ['robots', 'ads-txt', 'sellers-json'] as const)
    deepEqual([...discardedPaths(policy, purpose)], ['/'])
  deepEqual([...discardedPaths(policy, 'homepage')], [])
})

test('PR16: the source list is sellers.json files, wherever they are', () => {
  deepEqual(policy.order.source.at(-1), 'sellers-json')
  equal(policy.fetch['sellers-json']?.path, null)
})

test('RFC9309_2.5: at least 500 KiB of a robots.txt are read', () => {
  equal(policy.fetch.robots.maxBytes >= 500 * 1024, true)
})

test('a misspelt promise does not vanish: an unknown key is refused at any depth', () => {
  match(refusal('pauseSecond', 5), /pauseSecond: expected no such key/)
  match(
    refusal('fetch.homepage.keeping', 'discard'),
    /fetch\.homepage\.keeping: expected no such key/,
  )
  match(refusal('fetch.images', {}), /fetch\.images: expected no such key/)
})

const everyParameter = (node: unknown, path: string): string[] =>
  typeof node !== 'object' || node === null || Array.isArray(node)
    ? [path]
    : Object.entries(node).flatMap(([key, inner]) =>
        everyParameter(inner, path === '' ? key : `${path}.${key}`),
      )

for (const path of everyParameter(JSON.parse(shipped), '')) {
  test(`no parameter has a default: a policy without ${path} is refused, and so is nonsense there`, () => {
    match(
      refusal(path, undefined),
      new RegExp(`policy\\.json: .*${path.replaceAll('.', '\\.')}: expected`),
    )
    match(refusal(path, { nonsense: true }), new RegExp(`${path.replaceAll('.', '\\.')}: expected`))
  })
}

const bounds: readonly (readonly [string, unknown])[] = [
  ['pauseSeconds', -1],
  ['pauseSeconds', 0.5],
  ['strikes.limit', 0],
  ['sitesAtOnce', 0],
  ['limits.totalMs', 0],
  ['night.start', '24:00'],
  ['night.start', '1:00'],
  ['night.timezone', 'Asia/Atlantis'],
  ['night.timezone', ''],
  ['userAgent', 'PlainReckonerBot/1.0\r\nCookie: a=b'],
  ['userAgent', 'PlainReckonerBot/1.0 (ü)'],
  ['fetch.homepage.accept', ''],
  ['name', 'Plain Reckoner'],
  ['robotsToken', 'Plain Reckoner'],
  ['robotsToken', 'PlainReckonerBot/1.0'],
  ['robotsToken', '*'],
  ['fetch.homepage.keep', 'sometimes'],
  ['order.site', ['robots', 'images']],
]
for (const [path, value] of bounds) {
  test(`a policy with ${path} = ${JSON.stringify(value)} is refused`, () => {
    match(refusal(path, value), new RegExp(`${path.replaceAll('.', '\\.')}(\\.\\d)?: expected`))
  })
}

test('RFC9309_2.2.1: a token that is no part of the user agent is refused, in any case', () => {
  match(refusal('robotsToken', 'OtherBot'), /robotsToken: expected a part of userAgent/)
  equal(
    right(parsePolicy('p', changed('robotsToken', 'plainreckonerbot'))).robotsToken,
    'plainreckonerbot',
  )
})

test('what is not JSON is refused, with the name of the file', () => {
  equal(
    describeParseFailure(left(parsePolicy('mine.json', '{"name":'))),
    'mine.json: expected JSON',
  )
  left(parsePolicy('mine.json', '[]'))
})

test('a fourth bot is a fourth file: another name and pace need no code', () => {
  const fourth = right(parsePolicy('fourth.json', changed('name', 'fourth')))
  equal(fourth.name, 'fourth')
  deepEqual({ ...fourth, name: policy.name }, policy)
})
