/**
 * Readers over lines of JSON, one object in and one out with the same `id`: for trying a reader on
 * one's own files. Pure: who calls reads and writes the lines.
 */
import { listOf, nullable, oneOf, parse, describeParseFailure, t, text } from '../kernel/codec.ts'
import { E, type Either } from '../kernel/fp.ts'
import { AD_NETWORK_READER, readAdNetwork, readAdNetworkBytes } from './ad-network/read.ts'
import { ADS_TXT_READER } from './ads-txt/capture.ts'
import { judgeAdsTxtFetch, type FetchStep } from './ads-txt/fetch.ts'
import { readAdsTxt } from './ads-txt/read.ts'
import type { AdsTxtContext } from './ads-txt/variable.ts'
import { readChange } from './change/read.ts'
import { readCross } from './cross/read.ts'
import { type Reader, readerLabel } from './reader.ts'
import { SELLERS_JSON_READER } from './sellers-json/capture.ts'
import { readSellersJson } from './sellers-json/read.ts'

/** What a line comes to: the reading's own keys, or `error` if the line is not what it should be. */
export type BatchAnswer = { readonly id: string | number | null; readonly [key: string]: unknown }

type Row = t.TypeOf<typeof Row>
type RowReader = (row: Row) => Either<string, object>

const Row = t.intersection([
  t.type({ id: t.union([t.string, t.number]), input: t.unknown }),
  t.partial({
    inputB64: t.string,
    input_b64: t.string,
    domain: text(300),
    file: text(100),
    hop: t.number,
    contentType: text(300),
    listedBy: listOf(text(60), 20),
    earlierGood: t.boolean,
    note: t.string,
  }),
])

const Step = t.intersection([
  t.type({ url: text(8_192) }),
  t.partial({
    status: nullable(t.number),
    location: text(8_192),
    type: nullable(t.string),
    body: t.string,
    bodyB64: t.string,
    body_b64: t.string,
    error: t.string,
  }),
])
const Fetch = t.intersection([
  t.type({ chain: listOf(Step, 100) }),
  t.partial({ domain: text(300), file: text(100), earlierGood: t.boolean }),
])

/**
 * Answers one line for a reader: `ads-txt` is its newest version, `ads-txt@1` that one. undefined if
 * there is no such reader.
 */
export const batchReader = (name: string): ((line: string) => BatchAnswer) | undefined => {
  const reader = ROW_READERS.findLast((one) => one.name === name || readerLabel(one) === name)
  return reader === undefined ? undefined : (line) => answerLine(reader.read, line)
}

const answerLine = (reader: RowReader, line: string): BatchAnswer => {
  const json = parseJsonLine(line)
  if (json === undefined) return { id: null, error: 'the line is not JSON' }
  const row = parse('the line', Row, json)
  if (E.isLeft(row)) return { id: idOf(json), error: describeParseFailure(row.left) }
  const reading = reader(row.right)
  return E.isLeft(reading)
    ? { id: row.right.id, error: reading.left }
    : { id: row.right.id, ...reading.right }
}

const parseJsonLine = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const idOf = (json: unknown): string | number | null => {
  const id: unknown = typeof json === 'object' && json !== null && 'id' in json ? json.id : null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

const bytesOf = (row: Row): Either<string, Uint8Array> => {
  const base64 = row.inputB64 ?? row.input_b64
  if (base64 !== undefined) return E.right(Buffer.from(base64, 'base64'))
  return typeof row.input === 'string'
    ? E.right(Buffer.from(row.input, 'utf8'))
    : E.left('expected input (text) or inputB64 (base64)')
}

const adsTxtContext = (given: {
  readonly domain?: string
  readonly file?: string
  readonly hop?: number
}): AdsTxtContext => ({
  ...(given.domain === undefined ? {} : { domain: given.domain }),
  ...(given.hop === undefined ? {} : { hop: given.hop }),
  file: given.file?.endsWith('app-ads.txt') === true ? 'app-ads.txt' : 'ads.txt',
})

const adsTxt: RowReader = (row) => {
  if (typeof row.input === 'object' && row.input !== null) return adsTxtFetch(row)
  return E.map((bytes: Uint8Array): object => readAdsTxt(bytes, adsTxtContext(row)))(bytesOf(row))
}

/** A case may say in words that nothing was known before; `earlierGood: false` says the same. */
const NOTHING_KNOWN = /^context: no earlier good fetch$/

const adsTxtFetch: RowReader = (row) => {
  const fetched = parse('input', Fetch, row.input)
  if (E.isLeft(fetched)) return E.left(describeParseFailure(fetched.left))
  const { chain, earlierGood = row.earlierGood } = fetched.right
  const { state, faults } = judgeAdsTxtFetch(chain.map(stepOf), {
    ...adsTxtContext({ ...row, ...fetched.right }),
    earlierGood: earlierGood ?? !NOTHING_KNOWN.test(row.note ?? ''),
  })
  return E.right({ state, faults })
}

const stepOf = (step: t.TypeOf<typeof Step>): FetchStep => {
  const { url, status, error, location, type } = step
  const answered = typeof status === 'number' && status > 0 && error === undefined
  const body = stepBody(step)
  return {
    url,
    ...(answered ? { status } : { status: undefined, failure: failureOf(error) }),
    ...(location === undefined ? {} : { location }),
    ...(typeof type === 'string' ? { type } : {}),
    ...(body === undefined ? {} : { body }),
  }
}

const failureOf = (error = ''): 'timeout' | 'unreachable' =>
  /time/i.test(error) ? 'timeout' : 'unreachable'

const stepBody = (step: t.TypeOf<typeof Step>): Uint8Array | undefined => {
  const base64 = step.bodyB64 ?? step.body_b64
  if (base64 !== undefined) return Buffer.from(base64, 'base64')
  return step.body === undefined ? undefined : Buffer.from(step.body, 'utf8')
}

const sellersJson: RowReader = (row) =>
  E.map((bytes: Uint8Array): object => {
    const { sellers, faults } = readSellersJson(bytes)
    return {
      sellers: sellers.map(({ id, type, domain, confidential, passthrough }) => ({
        id,
        ...(type === undefined ? {} : { type }),
        ...(domain === undefined ? {} : { domain }),
        confidential,
        passthrough,
      })),
      faults: faults.map(({ code }) => code),
    }
  })(bytesOf(row))

const adNetwork: RowReader = (row) => {
  const context = row.listedBy === undefined ? {} : { listedBy: row.listedBy }
  return typeof row.input === 'string'
    ? E.right(readAdNetwork(row.input, context))
    : E.map((bytes: Uint8Array): object => readAdNetworkBytes(bytes, row.contentType, context))(
        bytesOf(row),
      )
}

const Relation = oneOf('DIRECT', 'RESELLER')
const Cross = t.type({
  site: t.intersection([
    t.type({
      domain: text(300),
      managers: listOf(
        t.intersection([t.type({ domain: text(300) }), t.partial({ country: text(100) })]),
        1_000,
      ),
    }),
    t.partial({ owner: text(300) }),
  ]),
  record: t.type({ account: t.string, rel: Relation }),
  sellers: nullable(
    t.array(
      t.intersection([
        t.type({ id: t.string, confidential: t.boolean }),
        t.partial({ domain: t.string, type: oneOf('PUBLISHER', 'INTERMEDIARY', 'BOTH') }),
      ]),
    ),
  ),
})

const cross: RowReader = (row) => E.map(readCross)(described(parse('input', Cross, row.input)))

const change: RowReader = (row) => {
  const Change = t.type({ before: t.string, after: t.string })
  return E.map(({ before, after }: t.TypeOf<typeof Change>) =>
    readChange(before, after, adsTxtContext(row)),
  )(described(parse('input', Change, row.input)))
}

const described = E.mapLeft(describeParseFailure)

type Versioned = Pick<Reader, 'name' | 'version'> & { readonly read: RowReader }

const versioned = ({ name, version }: Reader, read: RowReader): Versioned => ({
  name,
  version,
  read,
})

/** Older versions of a reader stand before its newest. */
const ROW_READERS: readonly Versioned[] = [
  versioned(ADS_TXT_READER, adsTxt),
  versioned(SELLERS_JSON_READER, sellersJson),
  versioned(AD_NETWORK_READER, adNetwork),
  { name: 'cross', version: 1, read: cross },
  { name: 'change', version: 1, read: change },
]

/** The names `batchReader` knows; each also with a version behind it. */
export const BATCH_READER_NAMES: readonly string[] = [
  ...new Set(ROW_READERS.map(({ name }) => name)),
]
