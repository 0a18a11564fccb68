/**
 * What a dated series of robots.txt files changed for the crawlers publishers live from:
 * `node scripts/robots-history.ts FOLDER`, where FOLDER holds `<host>/<YYYY-MM-DD>.txt`.
 *
 * Every file is one night. Each change of a file is explained: the findings with line and rule, or
 * why a change of the file is none for any crawler.
 */
import { textIn } from '../projections/finding.ts'
import { filesOf, type Night, replay } from './corpus/robots-history.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error('usage: node scripts/robots-history.ts FOLDER')
  process.exit(2)
}

const explained = ({ findings, added, removed, blocked }: Night): readonly string[] => {
  const kept = `kept from the homepage: ${blocked.length === 0 ? 'nobody' : blocked.join(', ')}`
  if (findings === undefined) return [`the first file, nothing to compare it with; ${kept}`]
  if (added + removed === 0) return [`the same lines as before; ${kept}`]
  const lines = `${added} lines new, ${removed} gone`
  if (findings.length === 0) return [`${lines}, and none that lets anybody in or out; ${kept}`]
  const told = findings.map((row) => `${textIn(row, 'change')}: ${textIn(row, 'says')}`)
  return [`${lines}; ${kept}`, ...told]
}

const nights = await replay(filesOf(folder))
for (const [host, own] of Map.groupBy(nights, (night) => night.host)) {
  console.log(host)
  for (const night of own)
    console.log(`  ${night.night}  ${explained(night).join('\n              ')}`)
}
