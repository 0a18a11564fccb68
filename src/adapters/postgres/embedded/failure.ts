/** Why the embedded PostgreSQL is not to be had, in one line: what, where, and what to do. */
import type { Unavailable } from '../../../ledger/port.ts'

const ELSEWHERE = 'or set CRAWL_LEDGER_DATABASE_URL to a PostgreSQL server (15 or newer)'

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/no space left|enospc|quota exceeded|edquot/i, 'free some space there'],
  [/read-only file system|erofs/i, 'choose a data directory that can be written'],
  [
    /permission denied|eacces|not permitted|eperm|ownership|unable to open|readonly database/i,
    'run as the user the directory belongs to, or give this user access to it',
  ],
  [/cannot allocate memory|shared memory segment|semaphores/i, 'give this machine more memory'],
  [/still in use|already exists/i, 'end the PostgreSQL processes that still use it'],
]

/** `what` is a clause that names the place; `reason` is shortened to one line. */
export const unavailable = (what: string, reason: string, advice?: string): Unavailable => {
  const line = reason.replace(/\s+/g, ' ').trim().slice(0, 400)
  const known = advice ?? ADVICE.find(([pattern]) => pattern.test(line))?.[1]
  const next = known === undefined ? ELSEWHERE.replace(/^or /, '') : `${known}, ${ELSEWHERE}`
  return { tag: 'Unavailable', because: `${what}: ${line}; ${next}` }
}

/** The line that says why a PostgreSQL program gave up: its first complaint, else its last words. */
export const complaint = (output: string): string => {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const first =
    lines.find((line) => /\b(PANIC|FATAL|ERROR): /.test(line)) ??
    lines.find((line) => /error: /.test(line)) ??
    lines.at(-1)
  return (first ?? 'it said nothing').replace(/^.*?\b(PANIC|FATAL|ERROR): +/, '')
}

/** `ENOENT` and the like; undefined for anything that is no refusal of the operating system. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : undefined

/** A refusal of the operating system (a full disk, a missing permission); undefined for a bug. */
export const ofSystemError = (what: string, error: unknown): Unavailable | undefined =>
  error instanceof Error && systemCode(error) !== undefined
    ? unavailable(what, error.message)
    : undefined
