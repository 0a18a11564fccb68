/** CL4: a citation says address and second in every format, and hostile addresses stay addresses. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import * as parse5 from 'parse5'
import { parse, t } from '../../../src/kernel/codec.ts'
import { sha256Hex } from '../../../src/kernel/digest.ts'
import { instant } from '../../../src/kernel/instant.ts'
import { parseHttpUrl } from '../../../src/kernel/url.ts'
import { type FetchCitation, linksOf } from '../../../src/publish/citation.ts'
import {
  FORMAT_NAMES,
  formatCitation,
  type FormatName,
} from '../../../src/publish/citation-format.ts'
import {
  parseBibtex,
  parseMemento,
  parseRis,
  parseWikipedia,
  printedTex,
} from '../../support/citation-parsers.ts'
import { right } from '../../support/either.ts'
import { fc } from '../../support/property.ts'

const ROOT = 'Jo20AcooVNIM/qtAvA06LbT34rvUy5pP3nY5oCr3Vbw='
const BASE = 'https://ledger.example/served'

type Told = Partial<FetchCitation> & {
  readonly address?: string
  readonly base?: string | undefined
}

const told = ({
  address = 'https://morning-post.example/ads.txt',
  base,
  ...rest
}: Told = {}): FetchCitation => {
  const cited = {
    origin: 'ledger.example/crawl',
    position: 42,
    url: right(parseHttpUrl(address)),
    at: instant(Date.UTC(2026, 10, 29, 19, 42, 7, 999)),
    ...rest,
  }
  return {
    isSimulated: false,
    type: 'FetchConcluded',
    request: 40,
    answer: 41,
    end: 'answered',
    status: 200,
    body: {
      kept: true,
      alg: 'sha256-salt32',
      commit: sha256Hex('x'),
      bytes: 123,
      truncated: false,
    },
    sealed: { size: 50, root: ROOT },
    links: linksOf(cited, base),
    ...cited,
  }
}
const written = (name: FormatName, citation: FetchCitation): string => {
  const text = formatCitation(name, citation)
  ok(text !== undefined)
  return text
}

const PHRASES = [
  '2026-11-29T19:42:07Z',
  'HTTP status 200',
  `body of 123 bytes kept, commitment sha256-salt32 ${sha256Hex('x')}`,
  'position 42 of the crawl ledger ledger.example/crawl',
  `under its signed head of 50 entries with root ${ROOT}`,
]

const zone = process.env['TZ']
afterEach(() => {
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
})

for (const name of FORMAT_NAMES)
  test(`CL4 ${name}: the same in every time zone`, () => {
    const texts = ['UTC', 'Asia/Karachi', 'America/New_York', 'Pacific/Kiritimati'].map((place) => {
      process.env['TZ'] = place
      return written(name, told())
    })
    equal(new Set(texts).size, 1)
  })

test('CL4 text: one line with address, second, status, commitment, position, head and link', () => {
  const text = written('text', told())
  for (const phrase of PHRASES) ok(text.includes(phrase), phrase)
  match(
    text,
    /^https:\/\/morning-post\.example\/ads\.txt: fetched .* crawl-ledger:ledger\.example\/crawl\/42\n$/,
  )
})

test('CL4 the permanent link is made of the position, and of the base if there is one', () => {
  equal(told({ base: BASE }).links.permanent, `${BASE}/e/42`)
  equal(told({ origin: 'a b/ü#?' }).links.permanent, 'crawl-ledger:a%20b/%C3%BC%23%3F/42')
  ok(written('text', told({ base: BASE })).endsWith(` ${BASE}/e/42\n`))
})

test('CL4 csl-json: a webpage accessed on the day in UTC, the second in its note', () => {
  const items: unknown = JSON.parse(written('csl-json', told()))
  deepEqual(items, [
    {
      id: 'crawl-ledger-42',
      type: 'webpage',
      title: 'morning-post.example/ads.txt',
      'container-title': 'morning-post.example',
      URL: 'https://morning-post.example/ads.txt',
      accessed: { 'date-parts': [[2026, 11, 29]] },
      archive: 'crawl ledger ledger.example/crawl',
      archive_location: 'crawl-ledger:ledger.example/crawl/42',
      note: `fetched 2026-11-29T19:42:07Z by the crawler’s clock; ${PHRASES.slice(1).join('; ')}.`,
    },
  ])
})

test('CL4 bibtex: an @online entry whose urldate has the second', () => {
  const { type, key, fields } = parseBibtex(written('bibtex', told()))
  deepEqual([type, key], ['online', 'crawl-ledger-42'])
  equal(fields['urldate'], '2026-11-29T19:42:07Z')
  equal(fields['url'], 'https://morning-post.example/ads.txt')
  for (const phrase of PHRASES) ok(printedTex(fields['note'] ?? '').includes(phrase), phrase)
})

test('CL4 ris: ELEC, with the second in Y2', () => {
  const fields = parseRis(written('ris', told()))
  equal(fields['TY'], 'ELEC')
  equal(fields['UR'], 'https://morning-post.example/ads.txt')
  equal(fields['Y2'], '2026/11/29/19:42:07 UTC')
  deepEqual([fields['AN'], fields['DB']], ['42', 'crawl ledger ledger.example/crawl'])
  for (const phrase of PHRASES) ok(fields['N1']?.includes(phrase), phrase)
})

test('CL4 wikipedia: cite web with the day, and the second behind it', () => {
  const { name, parameters, rest } = parseWikipedia(written('wikipedia', told()))
  equal(name, 'cite web')
  deepEqual(parameters, {
    url: 'https://morning-post.example/ads.txt',
    title: 'morning-post.example/ads.txt',
    website: 'morning-post.example',
    'access-date': '2026-11-29',
  })
  for (const phrase of PHRASES) ok(rest.includes(phrase), phrase)
})

test('CL4 wikipedia: a copy is named where one was kept and is served', () => {
  const parametersOf = (change: Told) =>
    parseWikipedia(written('wikipedia', told(change))).parameters
  const served = parametersOf({ base: BASE })
  equal(
    served['archive-url'],
    `${BASE}/memento/20261129194207/https://morning-post.example/ads.txt`,
  )
  deepEqual([served['archive-date'], served['url-status']], ['2026-11-29', 'live'])
  const body = { kept: false, reason: 'discarded-by-policy' } as const
  equal(parametersOf({ base: BASE, body })['archive-url'], undefined)
})

test('CL4 memento: the fields of RFC 7089, the time as an HTTP-date', () => {
  const { fields, links } = parseMemento(written('memento', told({ base: BASE })))
  equal(fields['Memento-Datetime'], 'Sun, 29 Nov 2026 19:42:07 GMT')
  const url = 'https://morning-post.example/ads.txt'
  deepEqual(
    links.map(({ target, parameters }) => [parameters['rel'], target]),
    [
      ['original', url],
      ['timegate', `${BASE}/timegate/${url}`],
      ['timemap', `${BASE}/timemap/link/${url}`],
      ['memento', `${BASE}/memento/20261129194207/${url}`],
      ['describedby', `${BASE}/e/42`],
    ],
  )
  equal(links[2]?.parameters['type'], 'application/link-format')
  equal(links[3]?.parameters['datetime'], fields['Memento-Datetime'])
  const named = parseMemento(written('memento', told())).links
  deepEqual(
    named.map(({ parameters }) => parameters['rel']),
    ['original', 'describedby'],
  )
})

test('CL4 memento: an answer that was not kept has none', () => {
  for (const body of [null, { kept: false, reason: 'discarded-by-policy' } as const])
    equal(formatCitation('memento', told({ body })), undefined)
})

type Node = parse5.DefaultTreeAdapterTypes.ChildNode
const elementsOf = (nodes: readonly Node[]): readonly parse5.DefaultTreeAdapterTypes.Element[] =>
  nodes.flatMap((node) => ('tagName' in node ? [node, ...elementsOf(node.childNodes)] : []))
const textOf = (nodes: readonly Node[]): string =>
  nodes
    .map((node) =>
      'value' in node ? node.value : 'childNodes' in node ? textOf(node.childNodes) : '',
    )
    .join('')

test('CL4 html: cite and time, and links that a browser opens', () => {
  const { childNodes } = parse5.parseFragment(written('html', told({ base: BASE })))
  const elements = elementsOf(childNodes)
  deepEqual(
    elements.map(({ tagName }) => tagName),
    ['p', 'cite', 'a', 'time', 'a'],
  )
  deepEqual(
    elements.flatMap(({ attrs }) => attrs.map(({ name, value }) => [name, value])),
    [
      ['href', 'https://morning-post.example/ads.txt'],
      ['datetime', '2026-11-29T19:42:07Z'],
      ['href', `${BASE}/e/42`],
    ],
  )
  for (const phrase of PHRASES.slice(1)) ok(textOf(childNodes).includes(phrase), phrase)
  equal(elementsOf(parse5.parseFragment(written('html', told())).childNodes).length, 4)
})

for (const name of FORMAT_NAMES) {
  test(`CL4 ${name}: a simulated ledger says so`, () => {
    match(written(name, told({ isSimulated: true })), /REHEARSAL on a simulated clock/)
    ok(!written(name, told()).includes('REHEARSAL'))
  })

  test(`CL4 ${name}: what is not sealed yet says so`, () => {
    match(written(name, told({ sealed: null })), /not sealed by a signed head yet/)
  })

  if (name === 'memento') continue
  test(`CL4 ${name}: a request without an answer is not called a fetch`, () => {
    const none = { status: null, body: null }
    match(written(name, told({ end: 'failed', ...none })), /no answer came/)
    match(written(name, told({ end: 'abandoned', ...none })), /nobody knows whether/)
    match(written(name, told({ end: 'open', ...none })), /no end is recorded yet/)
    for (const end of ['failed', 'abandoned', 'open'] as const)
      ok(!written(name, told({ end, ...none })).includes('fetched'))
  })
}

/** Addresses as a hostile site makes them: every character that means something in one of the formats. */
const HOSTILE = [
  "https://x.example/a}}{{b|c=[[d]]?e=''f''&g=<h>\"i\"#j",
  'https://x.example/%7D,note={x}\\input{y}$z$_^~',
  'https://x.example/?q=}},%0D%0AER%20%20-%20',
  "https://x.example/?a=</cite><script>alert('1')</script>",
  'https://x.example/?|url=https://other.example/|title=x',
  'https://x.example/>;rel="original",<https://y.example/',
  'https://x.example/~~~~__TOC__-->?`\\{|}^[]',
]
const address = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'binary', maxLength: 60 }).map((path) => `https://x.example/?${path}`),
  fc.string({ unit: 'grapheme-ascii', maxLength: 60 }).map((path) => `https://x.example/${path}`),
)
const percentDecoded = (url: string): string =>
  url.replaceAll(/%([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )

const CslItems = t.tuple([t.type({ URL: t.string, title: t.string })])

/** What each format says of the address, read back; and that it has nothing but its own fields. */
const ADDRESS_IN: {
  readonly [name in FormatName]: (citation: FetchCitation, text: string) => void
} = {
  text: ({ url, links }, text) => {
    ok(text.startsWith(`${url}: fetched `) && text.endsWith(` ${links.permanent}\n`))
    equal(text.split('\n').length, 2)
  },
  html: ({ url, links }, text) => {
    const { childNodes } = parse5.parseFragment(text)
    const elements = elementsOf(childNodes)
    const isServed = links.memento !== null
    deepEqual(
      elements.map(({ tagName }) => tagName),
      ['p', 'cite', 'a', 'time', ...(isServed ? ['a'] : [])],
    )
    equal(elements[2]?.attrs[0]?.value, url)
    ok(textOf(childNodes).startsWith(`${url.slice(8)}, fetched 2026-11-29 19:42:07 UTC`))
  },
  'csl-json': ({ url }, text) => {
    const [{ URL, title }] = right(parse('items', CslItems, JSON.parse(text)))
    deepEqual([URL, title], [url, url.slice(8)])
  },
  bibtex: ({ url }, text) => {
    const { fields } = parseBibtex(text)
    deepEqual(Object.keys(fields), ['title', 'organization', 'url', 'urldate', 'note', 'addendum'])
    equal(printedTex(fields['title'] ?? ''), url.slice(8))
    equal(percentDecoded(fields['url'] ?? ''), percentDecoded(url))
  },
  ris: ({ url }, text) => {
    const fields = parseRis(text)
    const tags = ['TY', 'ID', 'TI', 'T2', 'UR', 'Y2', 'DB', 'AN', 'L2', 'N1', 'ER']
    deepEqual(Object.keys(fields), tags)
    deepEqual([fields['UR'], fields['TI']], [url, url.slice(8)])
  },
  wikipedia: ({ url, links }, text) => {
    const { parameters } = parseWikipedia(text)
    const copy = links.memento === null ? [] : ['archive-url', 'archive-date', 'url-status']
    deepEqual(Object.keys(parameters), ['url', 'title', 'website', 'access-date', ...copy])
    equal(parameters['title'], url.slice(8))
    equal(percentDecoded(parameters['url'] ?? ''), percentDecoded(url))
  },
  memento: ({ url, links }, text) => {
    const parsed = parseMemento(text)
    deepEqual(Object.keys(parsed.fields), ['Memento-Datetime', 'Link'])
    equal(parsed.links.length, links.memento === null ? 2 : 5)
    equal(parsed.links[0]?.target, url)
  },
}

for (const name of FORMAT_NAMES)
  test(`CL4 ${name}: whatever the address, it comes back as it was, and adds nothing`, () => {
    fc.assert(
      fc.property(address, fc.constantFrom(undefined, BASE), (address, base) => {
        const citation = told({ address, base, origin: 'ledger.example/}]|"<&\u202e' })
        const text = written(name, citation)
        ADDRESS_IN[name](citation, text)
        ok(!/[\u0000-\u0009\u000b\u000c\u000e-\u001f\u202e]/.test(text))
      }),
    )
  })
