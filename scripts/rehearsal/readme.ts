/**
 * Writes README.md: what it says of each host comes from the catalogue. `node
 * scripts/rehearsal/readme.ts` after a change; a test fails while the two differ.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { CHAPTERS } from './catalogue/index.ts'
import { networkHosts } from './networks.ts'
import type { Publisher } from './publisher.ts'

const FILE = new URL('README.md', import.meta.url)

const INTRODUCTION = `# The rehearsal web

Invented publishers and ad networks as real HTTP and HTTPS servers on 127.0.0.1, each host with two
ports and its own lines in the access log. \`web.ts\` starts it, \`compare.ts\` holds the access log
against the ledger, \`policy.ts\` shortens a policy's time limits, \`certificates.ts\` makes the
certificates. Nothing here ever leaves the machine: whatever host the catalogue does not have can be
led to a trap (\`trapRules\`).

Nights count from 1. What a row does not say is well-behaved: robots.txt allows the homepage, ads.txt
lists a few records, the homepage names an ad manager, links to pages that must never be asked for,
and carries a secret (in its text, its ETag and its cookie) that must never stand on a disk. Plain
http always leads to https. Rows without "No list names it" stand in adnet-one's sellers.json unless
they say otherwise. The same seed makes the same texts.

This file is written by \`readme.ts\` from the catalogue.
`

/** A Markdown table with its columns aligned, as the formatter wants it. */
const table = (rows: readonly (readonly [string, string])[]): readonly string[] => {
  const width = (column: 0 | 1): number => Math.max(...rows.map((row) => row[column].length))
  const line = (fill: string, [first, second]: readonly [string, string]): string =>
    `| ${first.padEnd(width(0), fill)} | ${second.padEnd(width(1), fill)} |`
  const [head, ...others] = rows.map((row) => line(' ', row))
  return [head ?? '', line('-', ['', '']), ...others]
}

const chapter = (title: string, publishers: readonly Publisher[]): string => {
  const rows = publishers.map(({ host, about }) => [`\`${host}\``, about] as const)
  return ['', `## ${title}`, '', ...table([['host', 'what it does'], ...rows]), ''].join('\n')
}

export const readmeText = (): string =>
  [
    INTRODUCTION,
    ...CHAPTERS.map(({ title, publishers }) => chapter(title, publishers)),
    chapter('Ad networks', networkHosts([])),
  ].join('')

export const readmeAsItStands = (): string => readFileSync(FILE, 'utf8')

if (import.meta.main) writeFileSync(FILE, readmeText())
