/** The list of kinds in which the second reader differs is whole: nothing is left to explain. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareReaders } from '../../src/robots/compare.ts'
import { secondReader } from '../../src/robots/second-reader.ts'
import { fc, RUNS } from '../support/property.ts'

const piece = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'User-agent: OurBot\n',
      'User-agent: *\n',
      'Disallow: /',
      'Allow: /',
      'Disallow: /a%62*c\n',
    ),
  },
  fc.constantFrom(
    'User-agent:',
    'user agent : x',
    'Disallow:',
    'disallow',
    'Disalow: /',
    '* Disallow:',
  ),
  fc.constantFrom('\n', '\n', '\r', '\r\n', '\0', '\t', ' ', '#', ':', '*', '$', '%', '%2', '?'),
  fc.constantFrom(
    'a',
    '/',
    '/b*',
    '%61',
    '[',
    "'",
    '%2A',
    '\u00c3\u00bc',
    '\u00c2\u00a0',
    '\u00ff',
    '<',
  ),
  fc.constantFrom('Crawl-delay: ', 'Sitemap: ', '5', 'http://', 'Host: h\n', '\u00ef\u00bb\u00bf'),
)

test('whatever is in a file, each difference from robots-parser has a known kind', () => {
  let different = 0
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
      const bytes = Buffer.from(pieces.join(''), 'latin1')
      const { differences } = compareReaders(bytes, secondReader)
      different += differences.length
      for (const { kinds, agent, url } of differences) {
        assert.ok(!kinds.includes('unexplained'), `${agent} ${url}`)
      }
    }),
    {
      numRuns: Math.max(2_000, RUNS),
      examples: [[['user agent : x', '%61', 'Disallow: /', '/']]],
    },
  )
  assert.ok(different > 20, 'the generator must make files on which they differ')
})
