import type { AdsTxtFaultCode } from './fault.ts'
import type { FetchFaultCode } from './fetch-fault.ts'
import { readAdsTxt, type AdsTxtReading, type AdsTxtState } from './read.ts'
import type { AdsTxtContext } from './variable.ts'

/**
 * What one asking for the file comes to. `none`: there is no file, nobody is unauthorised.
 * `restricted`: the site wants to be asked. `keep_last`: this answer says nothing, the last good data
 * set stands (ads.txt 1.1 §3.1). The other states are those of the file itself.
 */
export type AnswerState = Exclude<AdsTxtState, 'not_adstxt'> | 'none' | 'restricted' | 'keep_last'

/**
 * `reading` is what the body holds wherever there was one to read. Under `keep_last` it is a hint
 * for the site owner, never a fact.
 */
export type AnswerVerdict = {
  readonly state: AnswerState
  readonly faults: readonly (FetchFaultCode | AdsTxtFaultCode)[]
  readonly reading: AdsTxtReading | undefined
}

/** The answer at the end of the way, its content coding undone. */
export type AdsTxtAnswer = {
  readonly status: number
  /** The Content-Type header, if there was one. */
  readonly type: string | undefined
  readonly body: Uint8Array
}

export const keepLast = (...faults: readonly FetchFaultCode[]): AnswerVerdict => ({
  state: 'keep_last',
  faults,
  reading: undefined,
})

/** Judges an answer that is no redirect. */
export const judgeAnswer = (answer: AdsTxtAnswer, context: AdsTxtContext): AnswerVerdict => {
  const { status } = answer
  if (status === 404) return { ...keepLast('H_404'), state: 'none' }
  if (status === 401) return { ...keepLast('H_401'), state: 'restricted' }
  if (status < 200 || status > 299) return keepLast('H_STATUS')
  const reading = readAdsTxt(answer.body, context)
  const whole = reading.faults.filter(({ line }) => line === 0).map(({ code }) => code)
  const { state } = reading
  if (!isPlainText(answer.type)) {
    const other = state === 'not_adstxt' ? whole : []
    return { state: 'keep_last', faults: ['H_CONTENT_TYPE', ...other], reading }
  }
  // A page instead of the file is a soft 404: what was known before still stands.
  return { state: state === 'not_adstxt' ? 'keep_last' : state, faults: whole, reading }
}

/** §3.2: text/plain, whatever its parameters; a file without a type is not declared to be text. */
const isPlainText = (type: string | undefined): boolean =>
  type !== undefined && /^\s*text\/plain\s*(?:;|$)/i.test(type)
