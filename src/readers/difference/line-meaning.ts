/** What each line of a file says, by the reader that reads the file. */
import { readAdsTxt } from '../ads-txt/read.ts'
import { ADS_TXT_FAULTS } from '../ads-txt/fault.ts'
import { readRobots } from '../../robots/read.ts'
import { ISSUE_MEANINGS } from '../../robots/issue-meaning.ts'
import { eachOf } from '../../robots/rows.ts'
import type { Site } from '../../kernel/site.ts'

/** By line, from 1; 0: the file as a whole. A line that is not there says nothing. */
export type Meanings = ReadonlyMap<number, readonly string[]>

const gather = () => {
  const all = new Map<number, string[]>()
  const say = (line: number, meaning: string): void => {
    const known = all.get(line)
    if (known === undefined) all.set(line, [meaning])
    else known.push(meaning)
  }
  return { all, say }
}

export const adsTxtMeanings = (bytes: Uint8Array, site: Site): Meanings => {
  const { all, say } = gather()
  const { records, variables, faults } = readAdsTxt(bytes, { domain: site })
  for (const { line, domain, account, rel } of records)
    say(line, `${rel === 'DIRECT' ? 'direct' : 'reseller'} account ${account} at ${domain}`)
  for (const { line, name, value, ignored } of variables)
    say(line, `${name} is ${value}${ignored === true ? ' (ignored)' : ''}`)
  for (const { line, code } of faults) say(line, `${code}: ${ADS_TXT_FAULTS[code].says}`)
  return all
}

export const robotsMeanings = (bytes: Uint8Array): Meanings => {
  const { all, say } = gather()
  const file = readRobots(bytes)
  for (const { rules, agents } of eachOf(file.groups)) {
    for (let place = agents.from; place < agents.to; place += 1) {
      const { line, name } = file.agents.at(place)
      say(line, name === '' ? 'names no crawler' : `rules for ${name}`)
    }
    for (let place = rules.from; place < rules.to; place += 1) {
      const { line, verdict, pattern } = file.rules.at(place)
      say(line, `${verdict}s ${pattern.text}${pattern.anchored ? ' exactly' : ''}`)
    }
  }
  for (const delay of file.delays)
    if (delay !== null) say(delay.line, `${delay.milliseconds / 1_000} s between requests`)
  for (const { line, value } of eachOf(file.sitemaps)) say(line, `sitemap ${value}`)
  for (const { line, code } of file.issues) say(line, `${code}: ${ISSUE_MEANINGS[code]}`)
  return all
}
