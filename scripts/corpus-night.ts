/**
 * A PlainReckonerBot night over real files: `node scripts/corpus-night.ts CORPUS [--data DIR]`.
 *
 * CORPUS holds `sellers/*.json`, `robots/**.txt` and `adstxt/*.txt` as once served. Each sellers file
 * becomes a network; each other file is served under its own host name, on loopback, over TLS; one
 * more network names all those hosts. The night runs as a person would run it, through the command
 * line and `--resolve`, on the simulated clock. Then every row is checked against the file it stands
 * for. Exit code 0 only if nothing crashed, nothing is missing and no state is unexplained.
 */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { loadCorpus } from './corpus/load.ts'
import { checkNight, rowsOf } from './corpus/check.ts'
import { serveCorpus } from './corpus/serve.ts'

const cli = new URL('../src/cli.ts', import.meta.url).pathname

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string' }, keep: { type: 'boolean', default: false } },
})
const [corpusDirectory] = positionals
if (corpusDirectory === undefined) {
  console.error('usage: node scripts/corpus-night.ts CORPUS [--data DIR] [--keep]')
  process.exit(2)
}

/** Runs one verb of the command line; its standard error goes to ours. */
const crawlLedger = (...words: readonly string[]): Promise<{ code: number; out: string }> =>
  new Promise((done, fail) => {
    const child = spawn(process.execPath, [cli, ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
    const parts: Buffer[] = []
    child.stdout.on('data', (part: Buffer) => parts.push(part))
    child.on('error', fail)
    child.on('close', (code) =>
      done({ code: code ?? 70, out: Buffer.concat(parts).toString('utf8') }),
    )
  })

const scratch = await mkdtemp(join(tmpdir(), 'corpus-night-'))
const data = values.data === undefined ? join(scratch, 'data') : resolve(values.data)
await mkdir(data, { recursive: true })
const corpus = await loadCorpus(corpusDirectory)
const web = await serveCorpus(corpus)
const sources = join(scratch, 'networks.json')
const authority = join(scratch, 'authority.pem')
await writeFile(sources, JSON.stringify({ networks: web.networks }))
await writeFile(authority, web.authorityPem)

console.log(
  `${corpus.sellers.length} sellers.json, ${corpus.robots.size} robots.txt and ${corpus.adsTxt.size} ads.txt files`,
)
const startedAt = performance.now()
const flags = ['--sources', sources, '--data', data, '--ca', authority]
const place = ['--resolve', `*=127.0.0.1:${web.port}`, '--clock', 'simulated:2031-01-01T01:30:00Z']
const run = await crawlLedger('run', 'plain-reckoner', ...flags, ...place)
console.log(run.out)
console.log(`the night took ${((performance.now() - startedAt) / 1_000).toFixed(1)} s of real time`)

const rows = async (projection: string) => {
  const { code, out } = await crawlLedger('state', projection, '--jsonl', '--data', data)
  if (code !== 0) throw new Error(`state ${projection} ended with code ${code}`)
  return rowsOf(out)
}
const problems = checkNight(corpus, {
  exitCode: run.code,
  asked: web.asked(),
  adsTxt: await rows('ads-txt-state'),
  robots: await rows('robots-state'),
  sellers: await rows('seller-state'),
  publishers: await rows('publisher-list'),
})
await web.close()
if (values.keep) console.log(`kept: ${data}`)
else await rm(scratch, { recursive: true, force: true })

for (const problem of problems.slice(0, 50)) console.error(`problem: ${problem}`)
console.log(problems.length === 0 ? 'every file accounted for' : `${problems.length} problem(s)`)
process.exit(problems.length === 0 ? 0 : 1)
