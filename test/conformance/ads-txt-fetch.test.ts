/** How ads.txt is asked for (ads.txt 1.1 §3.1, §3.2): what a chain of answers comes to. */
import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { FETCH_FAULTS } from '../../src/readers/ads-txt/fetch-fault.ts'
import {
  type FetchContext,
  type FetchStep,
  judgeAdsTxtFetch,
} from '../../src/readers/ads-txt/fetch.ts'

const GOOD = 'ssp.example, 57, RESELLER\n'
const HOME = 'https://site.example/ads.txt'

const answer = (url: string, status: number, type?: string, body = ''): FetchStep => ({
  url,
  status,
  ...(type === undefined ? {} : { type }),
  body: Buffer.from(body),
})
const file = (url: string): FetchStep => answer(url, 200, 'text/plain', GOOD)
const redirect = (url: string, location: string, status = 301): FetchStep => ({
  url,
  status,
  location,
})

const verdict = (
  chain: readonly FetchStep[],
  context: FetchContext = { domain: 'site.example' },
) => {
  const { state, faults } = judgeAdsTxtFetch(chain, context)
  return [state, ...faults]
}

const judged = (
  name: string,
  chain: readonly FetchStep[],
  ...expected: readonly string[]
): void => {
  test(name, () => deepEqual(verdict(chain), expected))
}

judged('A3: 2xx is read', [file(HOME)], 'ok')
judged('A3: 206 is 2xx as well', [answer(HOME, 206, 'text/plain', GOOD)], 'ok')
judged('A2: http serves where there is no https', [file('http://site.example/ads.txt')], 'ok')
judged(
  'A1: a file on www alone does not count',
  [file('https://www.site.example/ads.txt')],
  'keep_last',
  'H_NOT_ROOT',
)
judged(
  'A1: www counts where the root leads there',
  [redirect(HOME, 'https://www.site.example/ads.txt'), file('https://www.site.example/ads.txt')],
  'ok',
)
test('A14: a declared subdomain is asked at its own place', () => {
  deepEqual(verdict([file('https://news.site.example/ads.txt')], { domain: 'news.site.example' }), [
    'ok',
  ])
})

const inRoot = (count: number): readonly FetchStep[] => [
  ...Array.from({ length: count }, (_, n) => redirect(`${HOME}?${n}`, `/ads.txt?${n + 1}`, 302)),
  file(`${HOME}?${count}`),
]
judged('A4: five redirects within the root domain', inRoot(5), 'ok')
judged('A4: six do not come to an end', inRoot(6), 'keep_last', 'H_TOO_MANY_REDIRECTS')
judged(
  'A4: a loop does not come to an end',
  [redirect(HOME, '/b'), redirect('https://site.example/b', '/ads.txt'), file(HOME)],
  'keep_last',
  'H_TOO_MANY_REDIRECTS',
)
judged(
  'A5: one redirect may leave the root domain',
  [redirect(HOME, 'https://manager.test/site/ads.txt'), file('https://manager.test/site/ads.txt')],
  'ok',
)
judged(
  'A5, A7: after some within the root, to any path, by http',
  [
    redirect('http://site.example/ads.txt', HOME),
    redirect(HOME, 'http://manager.test/19/list', 302),
    file('http://manager.test/19/list'),
  ],
  'ok',
)
for (const [name, onward] of [
  ['to another party', 'https://second.test/ads.txt'],
  ['within itself', 'https://manager.test/ads.txt'],
  ['back to the site', 'https://site.example/real.txt'],
] as const)
  judged(
    `A5: a third party may not redirect ${name}`,
    [
      redirect(HOME, 'http://manager.test/ads.txt'),
      redirect('http://manager.test/ads.txt', onward),
      file(onward),
    ],
    'keep_last',
    'H_REDIRECT_SECOND_HOP',
  )
for (const status of [302, 307])
  judged(
    `A4: ${status} is followed`,
    [redirect(HOME, '/a', status), file('https://site.example/a')],
    'ok',
  )
for (const status of [303, 308])
  judged(
    `A6: ${status} is followed with a note`,
    [redirect(HOME, '/a', status), file('https://site.example/a')],
    'ok',
    'H_REDIRECT_STATUS',
  )
judged(
  'A4: a redirect without a place',
  [{ url: HOME, status: 301 }],
  'keep_last',
  'H_REDIRECT_NO_LOCATION',
)
judged(
  'A4: a redirect to no web address',
  [redirect(HOME, 'mailto:desk@site.example')],
  'keep_last',
  'H_REDIRECT_BAD_LOCATION',
)
judged('A10: a chain that stops at a redirect', [redirect(HOME, '/a')], 'keep_last', 'H_NETWORK')
judged('A10: an empty chain', [], 'keep_last', 'H_NETWORK')

judged('A8: 404 declares nothing', [answer(HOME, 404, 'text/html', '<html>')], 'none', 'H_404')
judged(
  'A8: 404 behind a redirect as well',
  [redirect(HOME, 'https://manager.test/a'), answer('https://manager.test/a', 404)],
  'none',
  'H_404',
)
judged('A9: 401 asks for a talk', [answer(HOME, 401)], 'restricted', 'H_401')
for (const status of [400, 403, 410, 418, 429, 451, 500, 502, 503, 304, 100])
  judged(
    `A10: ${status} keeps the last good data`,
    [answer(HOME, status, 'text/plain', GOOD)],
    'keep_last',
    'H_STATUS',
  )
judged(
  'A10: a timeout',
  [{ url: HOME, status: undefined, failure: 'timeout' }],
  'keep_last',
  'H_TIMEOUT',
)
judged(
  'A10: no connection',
  [{ url: HOME, status: undefined, failure: 'unreachable' }],
  'keep_last',
  'H_NETWORK',
)
test('A10: without earlier data there is nothing to keep', () => {
  const context = { domain: 'site.example', earlierGood: false }
  deepEqual(verdict([answer(HOME, 503)], context), ['unknown', 'H_STATUS'])
  deepEqual(verdict([answer(HOME, 404)], context), ['none', 'H_404'])
  deepEqual(verdict([file(HOME)], context), ['ok'])
})

for (const type of [
  'text/plain',
  'text/plain; charset=UTF-8',
  'TEXT/PLAIN;charset=x',
  ' text/plain ',
])
  judged(`A11: ${type} is the type asked for`, [answer(HOME, 200, type, GOOD)], 'ok')
for (const type of [
  'text/html',
  'application/octet-stream',
  'text/plain-ish',
  'application/json',
  '',
])
  judged(
    `A11: "${type}" is ignored`,
    [answer(HOME, 200, type, GOOD)],
    'keep_last',
    'H_CONTENT_TYPE',
  )
judged(
  'A11: no type is not the type asked for',
  [answer(HOME, 200, undefined, GOOD)],
  'keep_last',
  'H_CONTENT_TYPE',
)
test('A11: what the ignored file says is a hint for its owner', () => {
  const { reading } = judgeAdsTxtFetch([answer(HOME, 200, 'text/html', GOOD)], {})
  equal(reading?.records.length, 1)
})

judged(
  'A12: a soft 404 is not a file',
  [answer(HOME, 200, 'text/html', '<!doctype html>')],
  'keep_last',
  'H_CONTENT_TYPE',
  'F_HTML',
)
judged(
  'A12: nor under the right type',
  [answer(HOME, 200, 'text/plain', '<!doctype html>')],
  'keep_last',
  'F_HTML',
)
judged(
  'B7: an empty file is a file that says nothing',
  [answer(HOME, 200, 'text/plain')],
  'no_records',
  'F_EMPTY',
)
judged(
  'B8: a placeholder is a file that authorises nobody',
  [answer(HOME, 200, 'text/plain', 'placeholder.example.com, placeholder, DIRECT, placeholder')],
  'none_authorised',
)

test('every fault of a fetch has a severity and a sentence', () => {
  for (const [code, { severity, says }] of Object.entries(FETCH_FAULTS)) {
    equal(/^H_[A-Z0-9_]+$/.test(code), true, code)
    equal(['error', 'warning', 'info'].includes(severity), true, code)
    equal(/^[A-Z].*\.$/.test(says), true, code)
  }
})
