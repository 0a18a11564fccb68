import { readFileText, type Oddity } from '../file-text.ts'
import { PLACEHOLDER_DOMAIN } from './ad-system.ts'
import type { AdsTxtFault, AdsTxtFaultCode } from './fault.ts'
import { readLine } from './line.ts'
import type { AdsTxtRecord } from './record.ts'

import type { AdsTxtContext, AdsTxtVariable } from './variable.ts'

/**
 * What an ads.txt or app-ads.txt file says. `ok`: it authorises someone. `none_authorised`: it says,
 * with the placeholder, that nobody may sell. `no_records`: it says nothing. `not_adstxt`: it is
 * something else, such as a web page.
 */
export type AdsTxtState = 'ok' | 'none_authorised' | 'no_records' | 'not_adstxt'

export type AdsTxtReading = {
  readonly state: AdsTxtState
  readonly records: readonly AdsTxtRecord[]
  readonly variables: readonly AdsTxtVariable[]
  readonly faults: readonly AdsTxtFault[]
}

/** Bounds on one reading; reaching one is itself a fault. */
export const LINES_MAX = 250_000
export const FAULTS_MAX = 5_000

/** Reads a file by ads.txt 1.1 and app-ads.txt 1.0. Total: any bytes give a reading. */
export const readAdsTxt = (bytes: Uint8Array, context: AdsTxtContext = {}): AdsTxtReading => {
  const { text, oddities } = readFileText(bytes)
  const faults = oddities.map((oddity) => ODDITY_FAULTS[oddity])
  if (text === undefined) return without('not_adstxt', faults)
  if (/^\s*$/.test(text)) return without('no_records', [...faults, 'F_EMPTY'])
  if (STARTS_AS_MARKUP.test(text)) return without('not_adstxt', [...faults, 'F_HTML'])
  const reading = readLines(text, faults, context)
  return reading.records.length === 0 && HOLDS_PAGE.test(text)
    ? without('not_adstxt', [...faults, 'F_HTML'])
    : reading
}

const ODDITY_FAULTS: Readonly<Record<Oddity, AdsTxtFaultCode>> = {
  'byte-order-mark': 'F_BOM',
  'utf-16': 'F_UTF16',
  'not-utf-8': 'F_NOT_UTF8',
  binary: 'F_BINARY',
}

/** A comment in front is no proof: some write their remarks that way. */
const STARTS_AS_MARKUP = /^\s*<(?:!(?!--)|\?|[a-z][a-z0-9]*[\s/>])/i
/** A page behind some other output, such as a server's warning. */
const HOLDS_PAGE = /<(?:!doctype\s+html|html|body)[\s>]/i

const without = (state: AdsTxtState, codes: readonly AdsTxtFaultCode[]): AdsTxtReading => ({
  state,
  records: [],
  variables: [],
  faults: codes.map((code) => ({ line: 0, code })),
})

/** Grows while the lines are read; never seen outside. */
type Draft = {
  readonly records: (AdsTxtRecord | undefined)[]
  readonly variables: AdsTxtVariable[]
  readonly faults: AdsTxtFault[]
  /** `domain, account, relation` → place in `records` and the line that first said so. */
  readonly seen: Map<string, { readonly index: number; readonly line: number }>
  /** What may stand once → place in `variables` of its first declaration. */
  readonly groups: Map<string, number>
  placeholder: boolean
}

const readLines = (
  text: string,
  codes: readonly AdsTxtFaultCode[],
  context: AdsTxtContext,
): AdsTxtReading => {
  const draft: Draft = {
    records: [],
    variables: [],
    faults: codes.map((code) => ({ line: 0, code })),
    seen: new Map(),
    groups: new Map(),
    placeholder: false,
  }
  let number = 0
  for (const line of linesOf(text)) {
    number += 1
    if (number > LINES_MAX) {
      addFault(draft, { line: number, code: 'F_TOO_MANY_LINES' })
      break
    }
    take(draft, number, readLine(line, context))
  }
  const records = draft.records.filter((record) => record !== undefined)
  const state = stateOf(records.length, draft.placeholder)
  const closing = closingFault(state, draft.placeholder)
  return {
    state,
    records,
    variables: draft.variables,
    faults: closing === undefined ? draft.faults : [...draft.faults, { line: 0, code: closing }],
  }
}

/** CR, LF and CRLF each end a line (ads.txt 1.1 §5.3). */
function* linesOf(text: string): Generator<string> {
  const end = /\r\n|\r|\n/g
  let start = 0
  for (let found = end.exec(text); found !== null; found = end.exec(text)) {
    yield text.slice(start, found.index)
    start = end.lastIndex
  }
  if (start < text.length) yield text.slice(start)
}

const take = (draft: Draft, line: number, reading: ReturnType<typeof readLine>): void => {
  for (const code of reading.faults) addFault(draft, { line, code })
  if (reading.variable !== undefined) addVariable(draft, { line, ...reading.variable })
  if (reading.record === undefined) return
  if (reading.record.domain === PLACEHOLDER_DOMAIN) draft.placeholder = true
  else addRecord(draft, { line, ...reading.record })
}

const keyOf = (record: AdsTxtRecord, rel: string): string =>
  `${record.domain}\n${record.account}\n${rel}`

/** The first line that says it counts, but a line a strict reader sees beats one it may not. */
const addRecord = (draft: Draft, record: AdsTxtRecord): void => {
  const key = keyOf(record, record.rel)
  const earlier = draft.seen.get(key)
  if (earlier !== undefined) {
    addFault(draft, { line: record.line, code: 'L_DUPLICATE', of: earlier.line })
    const atRisk = draft.records[earlier.index]?.basis === 'lenient'
    if (!atRisk || record.basis === 'lenient') return
    draft.records[earlier.index] = undefined
    draft.seen.set(key, { index: draft.records.length, line: earlier.line })
    draft.records.push(record)
    return
  }
  const opposite = draft.seen.get(keyOf(record, record.rel === 'DIRECT' ? 'RESELLER' : 'DIRECT'))
  if (opposite !== undefined)
    addFault(draft, { line: record.line, code: 'L_CONFLICT_REL', of: opposite.line })
  draft.seen.set(key, { index: draft.records.length, line: record.line })
  draft.records.push(record)
}

const addFault = (draft: Draft, fault: AdsTxtFault): void => {
  if (draft.faults.length < FAULTS_MAX) draft.faults.push(fault)
  else if (draft.faults.length === FAULTS_MAX)
    draft.faults.push({ line: fault.line, code: 'F_TOO_MANY_FAULTS' })
}

const stateOf = (records: number, placeholder: boolean): AdsTxtState => {
  if (records > 0) return 'ok'
  return placeholder ? 'none_authorised' : 'no_records'
}

const closingFault = (state: AdsTxtState, placeholder: boolean): AdsTxtFaultCode | undefined => {
  if (state === 'no_records') return 'F_NO_RECORDS'
  return state === 'ok' && placeholder ? 'F_PLACEHOLDER_WITH_RECORDS' : undefined
}

/**
 * §3.5.1: of several OWNERDOMAIN the first counts. Several MANAGERDOMAIN for one country are as if
 * there were none for it (IAB implementation guidance §5).
 */
const addVariable = (draft: Draft, variable: AdsTxtVariable): void => {
  const group = groupOf(variable)
  const earlier = group === undefined ? undefined : draft.groups.get(group)
  draft.variables.push(variable)
  if (group === undefined) return
  const index = draft.variables.length - 1
  if (earlier === undefined) {
    draft.groups.set(group, index)
    return
  }
  const isOwner = variable.name === 'OWNERDOMAIN'
  addFault(draft, { line: variable.line, code: isOwner ? 'V_DUP_OWNER' : 'V_DUP_MANAGER_COUNTRY' })
  for (const place of isOwner ? [index] : [earlier, index]) {
    const declared = draft.variables[place]
    if (declared !== undefined) draft.variables[place] = { ...declared, ignored: true }
  }
}

/** What may be declared once: the owner, and the manager of a country. */
const groupOf = ({ name, country = '', ignored }: AdsTxtVariable): string | undefined => {
  if (name === 'OWNERDOMAIN') return name
  return name === 'MANAGERDOMAIN' && ignored !== true ? `${name},${country}` : undefined
}
