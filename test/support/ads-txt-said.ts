/** A reading of ads.txt in short words, so that a test shows the whole of it at a glance. */
import { readAdsTxt } from '../../src/readers/ads-txt/read.ts'
import type { AdsTxtContext } from '../../src/readers/ads-txt/variable.ts'

export type Said = {
  readonly state: string
  readonly records: readonly string[]
  readonly variables: readonly string[]
  readonly faults: readonly string[]
}

/**
 * Records as `line domain account RELATION [cert] [; ext] [~]` (`~`: only a lenient reader), variables
 * as `line NAME=value [@CC] [!]` (`!`: ignored), faults as `line CODE [=earlier line]`.
 */
export const said = (input: string | Uint8Array, context: AdsTxtContext = {}): Said => {
  const reading = readAdsTxt(typeof input === 'string' ? Buffer.from(input) : input, context)
  return {
    state: reading.state,
    records: reading.records.map((record) =>
      [
        `${record.line} ${record.domain} ${record.account} ${record.rel}`,
        ...(record.cert === undefined ? [] : [record.cert]),
        ...(record.ext === undefined ? [] : [`; ${record.ext}`]),
        ...(record.basis === undefined ? [] : ['~']),
      ].join(' '),
    ),
    variables: reading.variables.map((variable) =>
      [
        `${variable.line} ${variable.name}=${variable.value}`,
        ...(variable.country === undefined ? [] : [`@${variable.country}`]),
        ...(variable.ignored === undefined ? [] : ['!']),
      ].join(' '),
    ),
    faults: reading.faults.map(({ line, code, of }) =>
      of === undefined ? `${line} ${code}` : `${line} ${code} =${of}`,
    ),
  }
}

/** Only records and faults: what most rules about lines are about. */
export const lineSays = (line: string): readonly string[] => {
  const { records, variables, faults } = said(`${line}\nkeeper.example, 1, DIRECT`)
  return [...records.slice(0, -1), ...variables, ...faults]
}
