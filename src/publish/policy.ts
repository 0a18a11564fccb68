/** C2SP tlog-policy: whose signatures a checker trusts, as a text of one rule a line. */
import { type ParseFailure, parseFailure } from '../kernel/codec.ts'
import { E, type Either } from '../kernel/fp.ts'
import { parseVerifierKey, type VerifierKey } from '../ledger/tlog/key.ts'
import { NO_WITNESSES, quorumOf, type Witnesses } from '../ledger/tlog/witness.ts'

type Members = { readonly least: number; readonly names: readonly string[] }

export type Policy = {
  readonly logs: readonly VerifierKey[]
  /** By the name they have in the policy, which is not that of their key. */
  readonly witnesses: ReadonlyMap<string, VerifierKey>
  readonly groups: ReadonlyMap<string, Members>
  /** The name of a witness or a group that must have signed; undefined: none. */
  readonly quorum: string | undefined
  /** Each rule with single blanks, in order: to compare policies by. */
  readonly rules: readonly string[]
}

const LINES_MAX = 1_000
const NONE = 'none'

/** A policy while it is read. */
type Draft = {
  readonly logs: VerifierKey[]
  readonly witnesses: Map<string, VerifierKey>
  readonly groups: Map<string, Members>
  /** Names that are members already: each counts once. */
  readonly used: Set<string>
  readonly quorums: string[]
}

const isNamed = ({ witnesses, groups }: Draft, name: string): boolean =>
  witnesses.has(name) || groups.has(name)

const isNew = (draft: Draft, name: string | undefined): name is string =>
  name !== undefined && name !== NONE && !isNamed(draft, name)

/** What is wrong with a key for this use; else it is added by `add`. */
const addKey = (
  others: Iterable<VerifierKey>,
  use: VerifierKey['use'],
  vkey: string,
  add: (key: VerifierKey) => void,
): string | undefined => {
  const key = parseVerifierKey(vkey)
  if (E.isLeft(key)) return key.left.problems[0]?.expected
  if (key.right.use !== use) return `a key of a ${use}`
  if ([...others].some(({ publicKey }) => publicKey.equals(key.right.publicKey)))
    return 'each key once'
  add(key.right)
  return undefined
}

const leastOf = (word: string, of: number): number | undefined => {
  if (word === 'all') return of
  if (word === 'any') return 1
  const least = /^[1-9]\d{0,3}$/.test(word) ? Number(word) : 0
  return least >= 1 && least <= of ? least : undefined
}

const addGroup = (draft: Draft, [name, word = '', ...names]: readonly string[]) => {
  const least = leastOf(word, names.length)
  if (!isNew(draft, name) || names.length === 0 || least === undefined)
    return 'group NAME all|any|K MEMBER…'
  const isFree = (member: string) => isNamed(draft, member) && !draft.used.has(member)
  if (!names.every(isFree) || new Set(names).size !== names.length)
    return 'members that were named before, each in one group'
  for (const member of names) draft.used.add(member)
  draft.groups.set(name, { least, names })
  return undefined
}

/** Takes one rule into the draft; what was expected if it is none. */
const addRule = (draft: Draft, [word = '', ...rest]: readonly string[]): string | undefined => {
  const [first = '', second = ''] = rest
  switch (word) {
    case 'log':
      if (rest.length > 2) return 'log VKEY [URL]'
      return addKey(draft.logs, 'log', first, (key) => draft.logs.push(key))
    case 'witness':
      if (rest.length > 3 || !isNew(draft, first)) return 'witness NAME VKEY [URL]'
      return addKey(draft.witnesses.values(), 'witness', second, (key) =>
        draft.witnesses.set(first, key),
      )
    case 'group':
      return addGroup(draft, rest)
    case 'quorum':
      if (rest.length !== 1 || !(first === NONE || isNamed(draft, first)))
        return 'quorum none, or the name of a witness or a group above'
      draft.quorums.push(first)
      return undefined
    default:
      return 'log, witness, group or quorum'
  }
}

/** Reads a policy. `what` names it in the failure, which says the line. */
export const parsePolicy = (what: string, text: string): Either<ParseFailure, Policy> => {
  const refused = (expected: string, line = '') => E.left(parseFailure(what, expected, line))
  const lines = text.split('\n')
  if (lines.length > LINES_MAX) return refused(`at most ${LINES_MAX} lines`)
  if (lines.pop() !== '') return refused('a line feed at its end')
  if (/[^\t\n\x20-\x7e\u0080-\uffff]/.test(text)) return refused('no control characters')
  const draft: Draft = {
    logs: [],
    witnesses: new Map(),
    groups: new Map(),
    used: new Set(),
    quorums: [],
  }
  const rules: string[] = []
  for (const [i, line] of lines.entries()) {
    const words = line.split(/[ \t]+/).filter((word) => word !== '')
    if (words.length === 0 || words[0]?.startsWith('#') === true) continue
    const expected = addRule(draft, words)
    if (expected !== undefined) return refused(expected, `line ${i + 1}`)
    rules.push(words.join(' '))
  }
  const [quorum, ...more] = draft.quorums
  if (quorum === undefined || more.length > 0) return refused('exactly one quorum line')
  const { logs, witnesses, groups } = draft
  return E.right({ logs, witnesses, groups, quorum: quorum === NONE ? undefined : quorum, rules })
}

/** The group of all witnesses in a policy of ours. */
const GROUP = 'witnesses'

/** Whether a witness may have this name in a policy of ours. */
export const isWitnessName = (name: string): boolean => name !== NONE && name !== GROUP

/** The policy of a log: each of its keys, newest last; its witnesses, and how many must have signed. */
export const policyText = (
  logs: readonly VerifierKey[],
  witnesses: Pick<Witnesses, 'named' | 'quorum'> = NO_WITNESSES,
): string => {
  const keys = witnesses.named.map(({ key }) => key)
  const least = quorumOf(witnesses)
  return [
    ...logs.map(({ vkey }) => `log ${vkey}`),
    ...keys.map(({ name, vkey }) => `witness ${name} ${vkey}`),
    ...(least === 0
      ? [`quorum ${NONE}`]
      : [`group ${GROUP} ${least} ${keys.map(({ name }) => name).join(' ')}`, `quorum ${GROUP}`]),
  ]
    .map((rule) => `${rule}\n`)
    .join('')
}

/** Every key of a policy. */
export const keysOf = ({ logs, witnesses }: Policy): readonly VerifierKey[] => [
  ...logs,
  ...witnesses.values(),
]

/** Whether the witnesses whose keys are `signed` make the quorum. */
export const isQuorum = (
  { witnesses, groups, quorum }: Policy,
  signed: readonly VerifierKey[],
): boolean => {
  const holds = (name: string): boolean => {
    const group = groups.get(name)
    if (group !== undefined) return group.names.filter(holds).length >= group.least
    return signed.some((key) => key === witnesses.get(name))
  }
  return quorum === undefined || holds(quorum)
}
