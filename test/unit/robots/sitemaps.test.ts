import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHttpUrl } from '../../../src/kernel/url.ts'
import { readRobots } from '../../../src/robots/read.ts'
import { sitemapsOf } from '../../../src/robots/sitemaps.ts'
import { right } from '../../support/either.ts'

const sitemaps = (robots: string): readonly string[] =>
  sitemapsOf(readRobots(Buffer.from(robots)), right(parseHttpUrl('https://a.example/robots.txt')))

test('Sitemap lines are the whole file’s, wherever they stand, each once and in order', () => {
  assert.deepEqual(
    sitemaps(
      'Sitemap: https://b.example/2.xml\nUser-agent: x\nsitemap: /1.xml\nDisallow: /\nSITEMAP: https://a.example/1.xml\nSite-map: 3.xml # more',
    ),
    ['https://b.example/2.xml', 'https://a.example/1.xml', 'https://a.example/3.xml'],
  )
})

test('what is no web address is left out', () => {
  assert.deepEqual(
    sitemaps(
      `Sitemap:\nSitemap: not an address\nSitemap: javascript:alert(1)\nSitemap: ftp://a.example/x\nSitemap: http://u:p@a.example/\nSitemap: http://\nSitemap: /${'x'.repeat(9_000)}\n`,
    ),
    [],
  )
})
