import assert from 'node:assert/strict'
import { test } from 'node:test'
import { responseReceived, type Sent } from '../../../src/capture/closing.ts'
import { fetchConcluded } from '../../../src/capture/conclusion.ts'
import type { HttpAnswer } from '../../../src/capture/port.ts'
import { sha256Hex } from '../../../src/kernel/digest.ts'
import { position } from '../../../src/kernel/position.ts'
import { URL_LENGTH_MAX } from '../../../src/kernel/url.ts'
import type { Header } from '../../../src/kernel/words.ts'
import { encodeEntry, ENTRY_BYTES_MAX } from '../../../src/ledger/entry.ts'
import type { LedgerEvent } from '../../../src/ledger/event.ts'
import { siteStream } from '../../../src/ledger/stream.ts'
import { contentHeaders } from '../../../src/politeness/asked.ts'
import { NOW, nextOf, sent, SITE } from '../../support/site.ts'

const longest = `https://news.example/${'a'.repeat(URL_LENGTH_MAX - 'https://news.example/'.length)}`

const entryOf = (event: LedgerEvent): Buffer =>
  encodeEntry(event, { ts: NOW, stream: siteStream(SITE), version: 1, run: 'r'.repeat(64) })

const hostile = (name: string, value: string, count: number): readonly Header[] =>
  Array.from({ length: count }, (): Header => [name, value])

const answerWith = (headers: readonly Header[]): HttpAnswer => ({
  tag: 'Answer',
  status: 200,
  headers,
  body: Buffer.alloc(0),
  truncated: false,
  remote: { address: '127.0.0.1', port: 443 },
  tls: null,
  timing: { connectMs: 1, firstByteMs: 1, totalMs: 1 },
})

const exchange: Sent = { position: position(2), ts: NOW, event: sent(longest, 'ads-txt') }
const kept = {
  kept: true,
  alg: 'sha256-salt32',
  commit: sha256Hex(''),
  bytes: 0,
  truncated: false,
} as const
const refusal = { kind: 'status', signature: 's'.repeat(60), evidence: '"'.repeat(200) } as const

for (const [what, headers] of [
  ['two hundred headers of quotes', hostile('x"x', '"'.repeat(4_000), 200)],
  ['one header of 60,000 latin-1 characters', hostile('x', 'é'.repeat(60_000), 1)],
  ['many long content types', hostile('Content-Type', '\\'.repeat(16_000), 50)],
] as const) {
  test(`the largest answer a server can give fits an entry: ${what}`, () => {
    const answer = answerWith(headers)
    const understood = { body: kept, refusal, next: nextOf(NOW) }
    const entry = entryOf(responseReceived(exchange, answer, understood))
    assert.ok(entry.length <= ENTRY_BYTES_MAX)
  })

  test(`the conclusion of such an answer fits an entry too: ${what}`, () => {
    const { programme, night, subject, purpose, target, url } = exchange.event
    const event = fetchConcluded(
      { programme, night, subject, purpose, target },
      {
        outcome: 'answered',
        because: '\u{1F600}'.repeat(90),
        url,
        redirects: [301, 302],
        reused: false,
        answer: {
          request: position(2),
          status: 200,
          headers: contentHeaders(headers),
          commit: null,
          truncated: false,
        },
      },
    )
    assert.ok(entryOf(event).length <= ENTRY_BYTES_MAX)
  })
}
