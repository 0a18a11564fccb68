/**
 * What a later version of an ads.txt has to be compared with, and no more: a big file leaves some
 * forty bytes a record, whatever else stands in it.
 */
import { decodeBody } from '../../capture/decode-body.ts'
import { E } from '../../kernel/fp.ts'
import { type AdsTxtCaptureReading, readAdsTxtCapture } from '../ads-txt/capture.ts'
import { ADS_TXT_FAULTS } from '../ads-txt/fault.ts'
import { type AdsTxtReading, readAdsTxt } from '../ads-txt/read.ts'
import type { AdsTxtContext, AdsTxtVariable } from '../ads-txt/variable.ts'
import type { Capture, Reader } from '../reader.ts'

/** A line with an error: its first error, all its faults, and the letters and digits it holds. */
export type BrokenLine = {
  readonly line: number
  readonly code: string
  readonly codes: readonly string[]
  readonly letters: string
}

/** `state` too_long: there is more in the file than is compared, and the lists are empty. */
export type AdsTxtVersion = {
  readonly state: string
  /** `domain|account|RELATION`, in the order of the file. */
  readonly records: readonly string[]
  readonly variables: readonly string[]
  /** How often each kind of fault stands in the file. */
  readonly faults: readonly { readonly code: string; readonly count: number }[]
  readonly broken: readonly BrokenLine[]
}

/** A file with more broken lines than this is broken as a whole: its records are told as removed. */
const BROKEN_MAX = 500
const LETTERS_MAX = 500
/** The largest real file known has some six thousand records in 206 kB. */
const CHARACTERS_MAX = 1_048_576
const DECODED_BYTES_MAX = 16_777_216

const NOT_LETTERS = /[^a-z0-9]+/g
export const lettersOf = (text: string): string => text.toLowerCase().replace(NOT_LETTERS, '')

const ERRORS: ReadonlySet<string> = new Set(
  Object.entries(ADS_TXT_FAULTS)
    .filter(([, { severity }]) => severity === 'error')
    .map(([code]) => code),
)

export const versionOfText = (text: string, context: AdsTxtContext = {}): AdsTxtVersion =>
  versionOf(readAdsTxt(Buffer.from(text, 'utf8'), context), text)

type Read = Pick<AdsTxtReading | AdsTxtCaptureReading, 'state' | 'records' | 'variables' | 'faults'>

const versionOf = ({ state, records, variables, faults }: Read, text: string): AdsTxtVersion => {
  const counts = new Map<string, number>()
  for (const { code } of faults) counts.set(code, (counts.get(code) ?? 0) + 1)
  return {
    state,
    records: records.map(({ domain, account, rel }) => `${domain}|${account}|${rel}`),
    variables: [...new Set(variables.map(declared))],
    faults: [...counts].map(([code, count]) => ({ code, count })),
    broken: brokenLines(faults, text),
  }
}

const declared = ({ name, value, country }: AdsTxtVariable): string =>
  country === undefined ? `${name}=${value}` : `${name}=${value}, ${country}`

const brokenLines = (faults: Read['faults'], text: string): readonly BrokenLine[] => {
  const codes = new Map<number, readonly string[]>()
  for (const { line, code } of faults)
    if (line > 0) codes.set(line, [...(codes.get(line) ?? []), code])
  const lines = text.split(/\r\n|\r|\n/)
  const broken: BrokenLine[] = []
  for (const [line, found] of codes) {
    const code = found.find((one) => ERRORS.has(one))
    if (code === undefined) continue
    const letters = lettersOf((lines[line - 1] ?? '').slice(0, 2 * LETTERS_MAX))
    broken.push({ line, code, codes: found, letters: letters.slice(0, LETTERS_MAX) })
    if (broken.length === BROKEN_MAX) break
  }
  return broken
}

const lengthOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + text.length, 0)

/** A kept answer as a version; after an answer that says nothing the lists are empty. */
const readVersion = (capture: Capture): AdsTxtVersion => {
  const reading = readAdsTxtCapture(capture)
  const body = decodeBody(capture.body, capture.headers, DECODED_BYTES_MAX)
  const text = E.isRight(body) ? Buffer.from(body.right).toString('utf8') : ''
  const version = versionOf(reading, text)
  return lengthOf(version.records) + lengthOf(version.variables) <= CHARACTERS_MAX
    ? version
    : { state: 'too_long', records: [], variables: [], faults: [], broken: [] }
}

export const CHANGE_READER: Reader = { name: 'change', version: 1, read: readVersion }
