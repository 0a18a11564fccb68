/**
 * Two versions of an ads.txt held against each other, as they come from the reader `change`. Every
 * change is told once: a line that broke is one change, and not a record lost and a fault won.
 */
import { type AdsTxtVersion, type BrokenLine, lettersOf } from './version.ts'

export type ChangeKind =
  | 'state'
  | 'record-broke'
  | 'record-removed'
  | 'record-added'
  | 'relationship'
  | 'variable-removed'
  | 'variable-added'
  | 'fault-new'
  | 'fault-gone'

/** `about`: the record, variable or fault; `broken`: the line that a record broke on. */
export type Change = {
  readonly kind: ChangeKind
  readonly about: string
  readonly says: string
  readonly broken?: BrokenLine
}

/** States in which there is a file of the kind asked for, whatever it authorises. */
const FILES: ReadonlySet<string> = new Set(['ok', 'no_records', 'none_authorised'])
export const isFile = ({ state }: Pick<AdsTxtVersion, 'state'>): boolean => FILES.has(state)

export const compareVersions = (old: AdsTxtVersion, fresh: AdsTxtVersion): readonly Change[] => {
  const states = compareStates(old.state, fresh.state)
  // What is no ads.txt says nothing about records: none of them was taken away.
  return isFile(old) && isFile(fresh)
    ? [...states, ...compareContents(old, fresh)]
    : [...states, ...faultChanges(old, fresh, new Set())]
}

export const compareStates = (old: string, fresh: string): readonly Change[] =>
  old === fresh ? [] : [{ kind: 'state', about: fresh, says: `state changed: ${old} -> ${fresh}` }]

/** What two files say, whatever became of the file between them. */
export const compareContents = (old: AdsTxtVersion, fresh: AdsTxtVersion): readonly Change[] => {
  const records = recordChanges(old, fresh)
  const told = new Set(records.flatMap(({ broken }) => (broken === undefined ? [] : [broken])))
  return [...records, ...variableChanges(old, fresh), ...faultChanges(old, fresh, told)]
}

const accountOf = (record: string): string => record.slice(0, record.lastIndexOf('|'))
const relationOf = (record: string): string => record.slice(record.lastIndexOf('|') + 1)
const byAccount = (records: readonly string[]): ReadonlyMap<string, string> =>
  new Map(records.map((record) => [accountOf(record), record]))

const recordChanges = (old: AdsTxtVersion, fresh: AdsTxtVersion): readonly Change[] => {
  const [was, is] = [new Set(old.records), new Set(fresh.records)]
  const lost = [...was].filter((record) => !is.has(record))
  const won = [...is].filter((record) => !was.has(record))
  const [wonBy, lostBy] = [byAccount(won), byAccount(lost)]
  const losses = lost.map((record) => lossOf(record, wonBy.get(accountOf(record)), fresh.broken))
  const gains = won
    .filter((record) => !lostBy.has(accountOf(record)))
    .map((about): Change => ({ kind: 'record-added', about, says: `record added: ${about}` }))
  return [...losses, ...gains]
}

const lossOf = (about: string, now: string | undefined, lines: readonly BrokenLine[]): Change => {
  if (now !== undefined) {
    const relations = `${relationOf(about)} -> ${relationOf(now)}`
    const says = `relationship changed: ${accountOf(about)} ${relations}`
    return { kind: 'relationship', about, says }
  }
  // The same letters in the same order, whatever stands between them.
  const said = lettersOf(accountOf(about))
  const broken = lines.find(({ letters }) => letters.includes(said))
  if (broken === undefined)
    return { kind: 'record-removed', about, says: `record removed: ${about}` }
  const says = `record broke: ${about} -> line ${broken.line} ${broken.code}`
  return { kind: 'record-broke', about, says, broken }
}

const variableChanges = (old: AdsTxtVersion, fresh: AdsTxtVersion): readonly Change[] => {
  const [was, is] = [new Set(old.variables), new Set(fresh.variables)]
  const told = (kind: 'removed' | 'added') => (about: string) =>
    ({ kind: `variable-${kind}`, about, says: `variable ${kind}: ${about}` }) as const
  return [
    ...[...was].filter((one) => !is.has(one)).map(told('removed')),
    ...[...is].filter((one) => !was.has(one)).map(told('added')),
  ]
}

/** A kind of fault that is new in the file, or gone from it; a broken record has told of its own. */
const faultChanges = (
  old: AdsTxtVersion,
  fresh: AdsTxtVersion,
  told: ReadonlySet<BrokenLine>,
): readonly Change[] => {
  const [was, is] = [old, fresh].map(({ faults }) => new Set(faults.map(({ code }) => code)))
  const toldOf = (code: string): number =>
    [...told].flatMap(({ codes }) => codes).filter((one) => one === code).length
  const untold = fresh.faults.filter(({ code, count }) => count > toldOf(code))
  return [
    ...old.faults
      .filter(({ code }) => is?.has(code) !== true)
      .map(
        ({ code }) => ({ kind: 'fault-gone', about: code, says: `fault gone: ${code}` }) as const,
      ),
    ...untold
      .filter(({ code }) => was?.has(code) !== true)
      .map(({ code }) => ({ kind: 'fault-new', about: code, says: `fault new: ${code}` }) as const),
  ]
}
