/**
 * A dated series of robots.txt files as nights: `FOLDER/<host>/<YYYY-MM-DD>.txt`, each read on the
 * night of its date, findings made by the projection that makes them for a crawl.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { robotsFindings } from '../../projections/index.ts'
import type { Row } from '../../projections/projection.ts'
import { pagesOf } from '../../src/cli/state.ts'
import { originOf, robotsUrlOf } from '../../src/kernel/url.ts'
import { readCrawlerAccess } from '../../src/readers/crawler-access/read.ts'
import { catchUp } from '../../src/shell/projecting/catch-up.ts'
import { right } from '../../test/support/either.ts'
import { History, site, url } from '../../test/support/history.ts'
import { portsOf } from '../../test/support/projecting.ts'

/** One file of the series, with what was found when it was read. */
export type Night = {
  readonly host: string
  readonly night: string
  readonly text: string
  /** Lines that the file before did not have, and that it had and this one has not. */
  readonly added: number
  readonly removed: number
  /** undefined: the first file of the host, with nothing to compare it with. */
  readonly findings: readonly Row[] | undefined
  readonly blocked: readonly string[]
}

type File = { readonly host: string; readonly night: string; readonly text: string }

export const filesOf = (folder: string): readonly File[] =>
  readdirSync(folder)
    .filter((host) => statSync(join(folder, host)).isDirectory())
    .flatMap((host) =>
      readdirSync(join(folder, host))
        .filter((name) => name.endsWith('.txt'))
        .map((name) => ({
          host,
          night: basename(name, '.txt'),
          text: readFileSync(join(folder, host, name), 'utf8'),
        })),
    )
    .sort((a, b) => (a.night < b.night ? -1 : 1))

export const replay = async (files: readonly File[]): Promise<readonly Night[]> => {
  const history = new History()
  const positions = files.map(({ host, night, text }) => {
    history.startRun(`run-${night}`, night)
    return history.robotsRead(host, 'rules', null, text)
  })
  const ports = portsOf(history)
  right(await catchUp(ports)(robotsFindings)())
  const rows: Row[] = []
  for await (const page of pagesOf(ports, robotsFindings, {})) rows.push(...page)
  const byPosition = Map.groupBy(rows, ({ position }) => position)
  const before = new Map<string, string>()
  return files.map((file, i) => {
    const old = before.get(file.host)
    before.set(file.host, file.text)
    const findings = old === undefined ? undefined : (byPosition.get(positions[i] ?? 0) ?? [])
    return { ...file, ...changedLines(old ?? '', file.text), findings, blocked: blockedBy(file) }
  })
}

const changedLines = (old: string, fresh: string): { added: number; removed: number } => {
  const [was, is] = [linesOf(old), linesOf(fresh)]
  const missing = (some: ReadonlySet<string>, others: ReadonlySet<string>): number =>
    [...some].filter((line) => !others.has(line)).length
  return { added: missing(is, was), removed: missing(was, is) }
}

const linesOf = (text: string): ReadonlySet<string> => new Set(text.split(/\r\n|\r|\n/))

/** Whom the file keeps from the homepage, read by itself. */
const blockedBy = ({ host, text }: File): readonly string[] => {
  const target = robotsUrlOf(originOf(url(`https://${host}/`)))
  const about = { subject: site(host), target, url: target, status: 200, headers: [] }
  const reading = readCrawlerAccess({ ...about, truncated: false, body: Buffer.from(text) })
  return reading.blocked.map(({ token }) => token)
}
