/** One concluded fetch of an ads.txt as a version to compare; null: it says nothing of the file. */
import { integer, parse, t, text } from '../../src/kernel/codec.ts'
import { E } from '../../src/kernel/fp.ts'
import type { EventOf } from '../../src/ledger/event.ts'
import { ADS_TXT_FAULTS } from '../../src/readers/ads-txt/fault.ts'
import {
  type Change,
  compareContents,
  compareStates,
  isFile,
} from '../../src/readers/change/compare.ts'
import type { AdsTxtVersion } from '../../src/readers/change/version.ts'
import type { Folded } from '../projection.ts'

const texts = t.array(t.string)
const ReadingShape = t.type({
  state: text(30),
  records: texts,
  variables: texts,
  faults: t.array(t.type({ code: text(100), count: integer(1) })),
  broken: t.array(t.type({ line: integer(1), code: text(100), codes: texts, letters: t.string })),
})

/**
 * Words that say something of the file: what it is, that there is none (404, ads.txt 1.1 §3.1), or
 * that something else is served in its place. After every other answer the last of them stands.
 */
const SAYING: ReadonlySet<string> = new Set([
  'ok',
  'no_records',
  'none_authorised',
  'none',
  'not_adstxt',
])

export const concludeVersion = (
  event: EventOf<'FetchConcluded'>,
  reading: Folded['reading'],
): { readonly version: AdsTxtVersion; readonly method: string } | null => {
  if (event.outcome !== 'answered' || reading === undefined || 'unread' in reading) return null
  const shape = parse('reading', ReadingShape, reading.reading)
  return E.isRight(shape) && SAYING.has(shape.right.state)
    ? { version: shape.right, method: reading.reader }
    : null
}

/** `word`: the last state there was; `file`: the last file there was, perhaps from before that. */
export const changesOf = (
  before: { readonly word: string; readonly file: AdsTxtVersion | null },
  after: AdsTxtVersion,
): { readonly states: readonly Change[]; readonly contents: readonly Change[] } => ({
  states: compareStates(before.word, after.state),
  contents: before.file !== null && isFile(after) ? compareContents(before.file, after) : [],
})

/** The change as a sentence for people. */
export const sentenceOf = (site: string, { kind, about, says, broken }: Change): string => {
  const record = about.replaceAll('|', ', ')
  switch (kind) {
    case 'state':
      return `ads.txt of ${site}: ${STATES.get(about) ?? says}.`
    case 'record-broke':
      return `ads.txt of ${site}: the record ${record} broke, line ${broken?.line ?? 0}: ${meaning(broken?.code ?? '')}`
    case 'record-removed':
      return `ads.txt of ${site}: the record ${record} is gone.`
    case 'record-added':
      return `ads.txt of ${site}: the record ${record} is new.`
    case 'relationship':
      return `ads.txt of ${site}: the record ${record} ${says.slice(says.lastIndexOf(' -> ') + 1)}.`
    case 'variable-removed':
      return `ads.txt of ${site}: the variable ${about} is gone.`
    case 'variable-added':
      return `ads.txt of ${site}: the variable ${about} is new.`
    case 'fault-new':
      return `ads.txt of ${site} has a new kind of fault: ${meaning(about)}`
    case 'fault-gone':
      return `ads.txt of ${site} is free of a kind of fault: ${meaning(about)}`
  }
}

const STATES: ReadonlyMap<string, string> = new Map([
  ['ok', 'there is a file that authorises sellers'],
  ['no_records', 'the file says nothing'],
  ['none_authorised', 'the file says that nobody may sell'],
  ['none', 'the file is gone (404): nobody is authorised any more'],
  ['not_adstxt', 'something that is no ads.txt is served in its place'],
])

const MEANINGS: ReadonlyMap<string, string> = new Map(
  Object.entries(ADS_TXT_FAULTS).map(([code, { says }]) => [code, says]),
)
const meaning = (code: string): string => MEANINGS.get(code) ?? `${code}.`
