/** Files that other robots.txt readers got wrong in public, in our own words (docs/known-bugs.md). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideRobots } from '../../../src/robots/decide.ts'
import { readRobots } from '../../../src/robots/read.ts'
import { url } from '../../support/site.ts'

const allowed = (lines: readonly string[], path: string, token = 'OurBot'): boolean => {
  const file = readRobots(Buffer.from(lines.join('\n')))
  return decideRobots(file, token, url(`https://shop.example${path}`)).allowed
}

test('crawler-commons#430: a delay, a sitemap or an unknown record between agent lines parts nobody', () => {
  for (const record of ['Crawl-delay: 7', 'Sitemap: /s.xml', 'Request-rate: 1/5', 'Clean-param: s'])
    for (const token of ['OurBot', 'OtherBot'])
      assert.equal(
        allowed(['User-agent: OurBot', record, 'User-agent: OtherBot', 'Disallow: /'], '/a', token),
        false,
        `${record} for ${token}`,
      )
})

test('munin#745: an Allow ends the agent lines of its group, a Content-Signal does not', () => {
  const managed = [
    'User-agent: *',
    'Content-Signal: search=yes,ai-train=no',
    'Allow: /',
    '',
    'User-agent: GreedyBot',
    'Disallow: /',
  ]
  assert.equal(allowed(managed, '/a'), true)
  assert.equal(allowed(managed, '/a', 'GreedyBot'), false)
  const shared = ['User-agent: *', 'Content-Signal: search=yes', 'User-agent: GreedyBot']
  assert.equal(allowed([...shared, 'Disallow: /'], '/a'), false)
})

test('protego#29: an equals sign, a colon or a plus behind a star matches itself', () => {
  assert.equal(allowed(['User-agent: *', 'Disallow: /*s='], '/?s=shoes'), false)
  assert.equal(allowed(['User-agent: *', 'Disallow: /*s='], '/?t=shoes'), true)
  assert.equal(allowed(['User-agent: *', 'Disallow: /*a:b+c'], '/x?a:b+c'), false)
  assert.equal(allowed(['User-agent: *', 'Disallow: /*q%3D'], '/?q%3d1'), false)
})

test('abot#56, crw#542: a rule about a query is about that query, not about the root and not about nothing', () => {
  const file = ['User-agent: *', 'Disallow: /?x']
  assert.equal(allowed(file, '/?x=1'), false)
  assert.equal(allowed(file, '/'), true)
  assert.equal(allowed(file, '/?y=1'), true)
})

test('robotspy#212: a thousand agent lines alike cost no more than their bytes', () => {
  const file = [...Array.from({ length: 20_000 }, () => 'User-agent: *'), 'Disallow: /a']
  assert.equal(allowed(file, '/a'), false)
  assert.equal(readRobots(Buffer.from(file.join('\n'))).groups.length, 1)
})

test('httrack#1286: a rule behind many others still counts', () => {
  const many = Array.from({ length: 9_000 }, (_, n) => `Disallow: /shelf-${n}/`)
  assert.equal(allowed(['User-agent: *', ...many, 'Disallow: /secret/'], '/secret/a'), false)
})
