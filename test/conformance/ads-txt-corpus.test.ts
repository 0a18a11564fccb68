/** Real files, where they stand beside the checkout: every one is read, and faults are summed up. */
import { readFileSync } from 'node:fs'
import { ok } from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalJson } from '../../src/kernel/canonical-json.ts'
import { readAdsTxt } from '../../src/readers/ads-txt/read.ts'
import { publishersOf } from '../../src/readers/sellers-json/publishers.ts'
import { readSellersJson } from '../../src/readers/sellers-json/read.ts'
import { corpusFiles } from '../support/reader-cases.ts'

const tally = (words: readonly string[]): string =>
  [...Map.groupBy(words, (word) => word)]
    .map(([word, { length }]) => [word, length] as const)
    .sort(([, a], [, b]) => b - a)
    .map(([word, count]) => `${word} ${count}`)
    .join(', ')

const adsTxt = corpusFiles('adstxt')
test('every real ads.txt is read', { skip: adsTxt.length === 0 }, (t) => {
  const readings = adsTxt.map((path) => readAdsTxt(readFileSync(path)))
  for (const reading of readings) ok(canonicalJson(reading))
  t.diagnostic(`${readings.length} files: ${tally(readings.map(({ state }) => state))}`)
  t.diagnostic(`${readings.flatMap(({ records }) => records).length} records`)
  t.diagnostic(tally(readings.flatMap(({ faults }) => faults.map(({ code }) => code))))
  ok(readings.filter(({ state }) => state === 'ok').length > readings.length * 0.8)
})

const sellers = corpusFiles('sellers')
test('every real sellers.json is read', { skip: sellers.length === 0 }, (t) => {
  const readings = sellers.map((path) => readSellersJson(readFileSync(path)))
  for (const reading of readings) ok(canonicalJson(reading))
  const sites = readings.flatMap((reading) => publishersOf(reading).publishers)
  t.diagnostic(`${readings.length} files, ${sites.length} namings of sites by file`)
  t.diagnostic(
    tally(
      readings.flatMap(({ faults }) =>
        faults.flatMap(({ code, count }) => Array.from({ length: count }, () => code)),
      ),
    ),
  )
  ok(readings.some(({ usable }) => usable))
})
