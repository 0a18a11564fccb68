import { readBytes } from '../../compose.ts'
import type { Command } from 'commander'
import type { CommonFlags } from '../../config.ts'
import { sha256Hex } from '../../kernel/digest.ts'
import { E } from '../../kernel/fp.ts'
import { formatInstant } from '../../kernel/instant.ts'
import { type HttpUrl, type Origin, originOf, parseHttpUrl, robotsUrlOf } from '../../kernel/url.ts'
import { decideRobots, type RobotsVerdict } from '../../robots/decide.ts'
import { explainRobots, type Explanation, reasonOf } from '../../robots/explain.ts'
import { readRobots, type RobotsFile } from '../../robots/read.ts'
import { ROBOTS_READER_LABEL } from '../../robots/reader.ts'
import { sitemapsOf } from '../../robots/sitemaps.ts'
import { tokenOf } from '../../robots/token.ts'
import { Halt } from '../../shell/halt.ts'
import { type RobotsReading, robotsReadingAt } from '../../shell/robots-reading.ts'
import { type Io, verb, withOpened } from '../command.ts'
import { momentArgument } from '../moment-argument.ts'
import { document, safe } from '../print.ts'

type ExplainFlags = CommonFlags & {
  readonly agent: string
  readonly file?: string
  readonly at?: string
  readonly json?: boolean
}

export const robotsExplainVerb = (io: Io): Command =>
  verb(
    'explain',
    'say in words why an address is allowed or not, and what its owner may not expect',
  )
    .argument('<url>', 'the address')
    .requiredOption('--agent <token>', 'the robots product token, for example PlainReckonerBot')
    .option('--file <file>', 'the robots.txt of that origin; without it, the newest in the ledger')
    .option('--at <moment>', 'by the ledger as it stood at this position, or at this time (UTC)')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
Exit code 1: not allowed, or nothing known.

Examples:
  crawl-ledger robots explain https://example.org/a --agent PlainReckonerBot
  crawl-ledger robots explain https://example.org/a --agent PlainReckonerBot --at 2026-11-30T02:00:00Z
  crawl-ledger robots explain https://example.org/a --agent PlainReckonerBot --file robots.txt`,
    )
    .action(async (address: string, flags: ExplainFlags) => {
      const url = urlArgument(address)
      const agent = agentArgument(flags.agent)
      const explained =
        flags.file === undefined
          ? await byLedger(io, flags, url, agent)
          : await byFile(flags.file, flags, url, agent)
      if (!explained.allowed) io.exitWith(1)
      await io.out(flags.json === true ? document(explained) : inWords(explained))
    })

const urlArgument = (address: string): HttpUrl => {
  const url = parseHttpUrl(address)
  if (E.isRight(url)) return url.right
  throw new Halt({ tag: 'WrongUse', because: `not an http(s) address (${url.left})` })
}

const agentArgument = (given: string): string => {
  const token = tokenOf(given)
  if (/^(?:[A-Za-z0-9_-]{1,200}|\*)$/.test(token)) return token
  const because = '--agent takes a product token, for example PlainReckonerBot, no whole User-Agent'
  throw new Halt({ tag: 'WrongUse', because })
}

/** What is printed: the shape of `--json`. */
type Explained = Explanation & {
  readonly url: HttpUrl
  readonly agent: string
  readonly reader: string
  readonly allowed: boolean
  readonly basis: RobotsVerdict['basis'] | 'unavailable' | 'unreachable' | 'unread'
  readonly group: RobotsVerdict['group']
  readonly rule: RobotsVerdict['rule']
  readonly outweighed: RobotsVerdict['outweighed']
  /** What rules were compared with; null where there were none to compare. */
  readonly path: string | null
  readonly crawlDelayMs: number | null
  readonly sitemaps: readonly HttpUrl[]
  readonly truncated: boolean
  readonly issues: RobotsFile['issues']
  readonly source: FileSource | LedgerSource
}

type FileSource = { readonly file: string; readonly bytes: number; readonly sha256: string }

/** Times as text; `position` is the RobotsRead event, `request` its request. */
type LedgerSource = {
  readonly origin: Origin
  readonly position: number
  readonly request: number | null
  readonly askedAt: string | null
  readonly readAt: string
  readonly programme: string
  readonly access: string
  readonly because: string
  readonly commit: string | null
  readonly bytes: number | null
  readonly sha256: string | null
  /** The kept body was erased by a person's act: nobody can read its rules any more. */
  readonly erased: boolean
  readonly reader: string
  readonly lastWithRules: number | null
}

const byFile = async (
  file: string,
  { at }: ExplainFlags,
  url: HttpUrl,
  agent: string,
): Promise<Explained> => {
  if (at !== undefined) {
    throw new Halt({ tag: 'WrongUse', because: '--at asks the ledger; it does not go with --file' })
  }
  const bytes = await readBytes(file)
  const source = { file, bytes: bytes.length, sha256: sha256Hex(bytes) }
  return { ...byRules(readRobots(bytes), url, agent), source }
}

const byRules = (file: RobotsFile, url: HttpUrl, agent: string): Omit<Explained, 'source'> => {
  const { truncated, issues } = file
  return {
    url,
    agent,
    reader: ROBOTS_READER_LABEL,
    ...decideRobots(file, agent, url),
    sitemaps: sitemapsOf(file, robotsUrlOf(originOf(url))),
    truncated,
    issues,
    ...explainRobots(file, agent, url),
  }
}

const byLedger = async (
  io: Io,
  flags: ExplainFlags,
  url: HttpUrl,
  agent: string,
): Promise<Explained> => {
  const moment = flags.at === undefined ? undefined : momentArgument(flags.at)
  const origin = originOf(url)
  const reading = await withOpened(io, flags, (opened) => robotsReadingAt(opened, origin, moment))
  if (reading === undefined) {
    const when = flags.at === undefined ? '' : ` up to ${flags.at}`
    throw new Halt({
      tag: 'NotFound',
      because: `nothing is known of ${robotsUrlOf(origin)}: the ledger holds no reading of it${when}; name a file with --file`,
    })
  }
  const source = sourceOf(reading)
  return reading.file === null
    ? { ...byAccess(reading, url, agent), source }
    : { ...byRules(reading.file, url, agent), source }
}

const sourceOf = ({
  read,
  askedAt,
  body,
  isErased,
  lastWithRules,
}: RobotsReading): LedgerSource => {
  const { origin, request, programme, access, because, commit, reader } = read.event
  return {
    origin,
    position: read.position,
    request,
    askedAt: askedAt === null ? null : formatInstant(askedAt),
    readAt: formatInstant(read.ts),
    programme,
    access,
    because,
    commit,
    bytes: body?.bytes ?? null,
    sha256: body?.sha256 ?? null,
    erased: isErased,
    reader,
    lastWithRules: lastWithRules?.position ?? null,
  }
}

/** No rules to go by: what may be asked follows from how the fetch ended (RFC 9309 §2.3.1). */
const byAccess = (
  { read, lastWithRules }: RobotsReading,
  url: HttpUrl,
  agent: string,
): Omit<Explained, 'source'> => {
  const { access, because } = read.event
  const isRobots = new URL(url).pathname + new URL(url).search === '/robots.txt'
  const basis = isRobots ? 'robots-file' : access === 'rules' ? 'unread' : access
  const allowed = isRobots || access === 'unavailable'
  const verdict = allowed ? 'allow' : 'deny'
  const earlier =
    lastWithRules === null
      ? []
      : [
          `The newest file that could be read is of position ${lastWithRules.position} (${formatInstant(lastWithRules.ts)}); it no longer counts.`,
        ]
  return {
    url,
    agent,
    reader: ROBOTS_READER_LABEL,
    allowed,
    basis,
    group: [],
    rule: null,
    outweighed: null,
    path: null,
    crawlDelayMs: null,
    sitemaps: [],
    truncated: false,
    issues: [],
    why: [reasonOf({ verdict, basis, token: agent, rule: null }), `The fetch: ${because}.`],
    warnings: earlier,
  }
}

const inWords = ({ why, warnings, source }: Explained): string =>
  [...why, groundOf(source), ...warnings.map((warning) => `Warning: ${warning}`)]
    .map((sentence) => `${safe(sentence)}\n`)
    .join('')

const groundOf = (source: FileSource | LedgerSource): string => {
  if ('file' in source) {
    return `This rests on ${source.file}, ${source.bytes} bytes, SHA-256 ${source.sha256}.`
  }
  const { origin, position, request, askedAt, programme, commit, bytes, sha256, erased } = source
  const asked = askedAt === null ? 'without a request' : `asked ${askedAt} (request ${request})`
  const kept =
    commit === null
      ? 'no body was kept'
      : erased
        ? `its body, kept as ${commit}, was erased`
        : `${bytes} bytes, SHA-256 ${sha256}, kept as ${commit}`
  return `This rests on position ${position}: ${robotsUrlOf(origin)} as ${programme} read it, ${asked}; ${kept}.`
}
