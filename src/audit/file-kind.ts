import type { IssueCode } from '../robots/issue.ts'
import { readRobots } from '../robots/read.ts'

/** What in a robots.txt readers are known to read in different ways. */
export type FileKind =
  | IssueCode
  | 'byte-order-mark'
  | 'blank-line-in-group'
  | 'other-record-in-group'
  | 'percent-encoding'

const KINDS_MAX = 20

/** The peculiarities of the file, each once, those that shape groups first. */
export const fileKinds = (bytes: Uint8Array): readonly FileKind[] => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const issues = readRobots(bytes).issues.map(({ code }) => code)
  const kinds: readonly (FileKind | false)[] = [
    /^\xef(?:\xbb\xbf?)?|^\xff\xfe|^\xfe\xff/.test(text) && 'byte-order-mark',
    hasInGroup(text, (line) => line.trim() === '') && 'blank-line-in-group',
    hasInGroup(text, (line) => OTHER_RECORD.test(line)) && 'other-record-in-group',
    /^\s*(?:dis)?allow\s*:[^#\r\n]*%/im.test(text) && 'percent-encoding',
    ...issues,
  ]
  return [...new Set(kinds.filter((kind) => kind !== false))].slice(0, KINDS_MAX)
}

const AGENT = /^\s*user-?agent\s*:/i
const RULE = /^\s*(?:dis)?allow\s*:/i
const OTHER_RECORD = /^\s*(?!user-?agent|allow|disallow)[a-z-]+\s*:/i

/** Whether such a line stands inside a group: before a rule of it, or between its User-agent lines. */
const hasInGroup = (text: string, is: (line: string) => boolean): boolean => {
  let part: 'outside' | 'agents' | 'rules' = 'outside'
  let seen = false
  for (const line of text.split(/\r\n|\r|\n/)) {
    const next = AGENT.test(line) ? 'agents' : RULE.test(line) ? 'rules' : undefined
    if (next === undefined) seen ||= part !== 'outside' && is(line)
    else {
      // A User-agent line after rules begins another group: what stood between is in neither.
      if (seen && (next === 'rules' || part === 'agents')) return true
      part = next
      seen = false
    }
  }
  return false
}
