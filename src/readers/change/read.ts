/**
 * What changed between two versions of a site's ads.txt, as sentences worth telling: a comment added
 * changes nothing, a line that broke is one event and not two.
 */
import { ADS_TXT_FAULTS, type AdsTxtFault } from '../ads-txt/fault.ts'
import { readAdsTxt, type AdsTxtReading } from '../ads-txt/read.ts'
import type { AdsTxtRecord } from '../ads-txt/record.ts'
import type { AdsTxtContext, AdsTxtVariable } from '../ads-txt/variable.ts'

export type ChangeReading = {
  readonly bytesChanged: boolean
  readonly events: readonly string[]
}

/** One version of the file: its text and what it says. */
type Version = AdsTxtReading & { readonly lines: readonly string[] }

export const readChange = (
  before: string,
  after: string,
  context: AdsTxtContext = {},
): ChangeReading => {
  const [old, fresh] = [versionOf(before, context), versionOf(after, context)]
  // What is no ads.txt says nothing about records: none of them was taken away.
  const known = old.state !== 'not_adstxt' && fresh.state !== 'not_adstxt'
  const records = known ? recordEvents(old, fresh) : []
  const told = new Set(records.flatMap(({ line }) => (line === undefined ? [] : [line])))
  return {
    bytesChanged: before !== after,
    events: [
      ...(old.state === fresh.state ? [] : [`state changed: ${old.state} -> ${fresh.state}`]),
      ...records.map(({ says }) => says),
      ...(known ? variableEvents(old, fresh) : []),
      ...faultEvents(old, fresh, told),
    ],
  }
}

const versionOf = (text: string, context: AdsTxtContext): Version => ({
  ...readAdsTxt(Buffer.from(text, 'utf8'), context),
  lines: text.split(/\r\n|\r|\n/),
})

/** `line`: the line of the new file whose fault the event already tells. */
type RecordEvent = { readonly says: string; readonly line?: number }

const accountOf = ({ domain, account }: AdsTxtRecord): string => `${domain}|${account}`
const keyOf = (record: AdsTxtRecord): string => `${accountOf(record)}|${record.rel}`
const indexed = <A>(items: readonly A[], key: (item: A) => string): ReadonlyMap<string, A> =>
  new Map(items.map((item) => [key(item), item]))

const recordEvents = (old: Version, fresh: Version): readonly RecordEvent[] => {
  const [was, is] = [indexed(old.records, keyOf), indexed(fresh.records, keyOf)]
  const lost = old.records.filter((record) => !is.has(keyOf(record)))
  const won = fresh.records.filter((record) => !was.has(keyOf(record)))
  const wonAccounts = indexed(won, accountOf)
  const lostAccounts = indexed(lost, accountOf)
  const broken = brokenLines(fresh)
  const losses = lost.map((record): RecordEvent => {
    const now = wonAccounts.get(accountOf(record))
    if (now !== undefined)
      return { says: `relationship changed: ${accountOf(record)} ${record.rel} -> ${now.rel}` }
    const fault = broken(record)
    return fault === undefined
      ? { says: `record removed: ${keyOf(record)}` }
      : {
          says: `record broke: ${keyOf(record)} -> line ${fault.line} ${fault.code}`,
          line: fault.line,
        }
  })
  const gains = won
    .filter((record) => !lostAccounts.has(accountOf(record)))
    .map((record): RecordEvent => ({ says: `record added: ${keyOf(record)}` }))
  return [...losses, ...gains]
}

/** A file with more broken lines than this is broken as a whole: its records are told as removed. */
const BROKEN_MAX = 500
const LETTERS = /[^a-z0-9]+/g

/** The faulty line that holds what a record said: the same letters, whatever stands between them. */
const brokenLines = (fresh: Version): ((record: AdsTxtRecord) => AdsTxtFault | undefined) => {
  const faulty = fresh.faults
    .filter(({ line, code }) => line > 0 && ADS_TXT_FAULTS[code].severity === 'error')
    .slice(0, BROKEN_MAX)
    .map((fault) => ({
      fault,
      letters: (fresh.lines[fault.line - 1] ?? '').toLowerCase().replace(LETTERS, ''),
    }))
  return (record) => {
    const said = `${record.domain}${record.account}`.toLowerCase().replace(LETTERS, '')
    return faulty.find(({ letters }) => letters.includes(said))?.fault
  }
}

const declared = ({ name, value, country }: AdsTxtVariable): string =>
  country === undefined ? `${name}=${value}` : `${name}=${value}, ${country}`

const variableEvents = (old: Version, fresh: Version): readonly string[] => {
  const was = new Set(old.variables.map(declared))
  const is = new Set(fresh.variables.map(declared))
  return [
    ...[...was].filter((one) => !is.has(one)).map((one) => `variable removed: ${one}`),
    ...[...is].filter((one) => !was.has(one)).map((one) => `variable added: ${one}`),
  ]
}

/** A kind of fault that is new in the file, or gone from it; a broken record has told of its own. */
const faultEvents = (
  old: Version,
  fresh: Version,
  told: ReadonlySet<number>,
): readonly string[] => {
  const was = new Set(old.faults.map(({ code }) => code))
  const is = new Set(fresh.faults.map(({ code }) => code))
  const untold = new Set(fresh.faults.filter(({ line }) => !told.has(line)).map(({ code }) => code))
  return [
    ...[...was].filter((code) => !is.has(code)).map((code) => `fault gone: ${code}`),
    ...[...untold].filter((code) => !was.has(code)).map((code) => `fault new: ${code}`),
  ]
}
