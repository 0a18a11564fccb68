import { Command } from 'commander'
import { readBytes } from '../compose.ts'
import { E } from '../kernel/fp.ts'
import { parseHttpUrl } from '../kernel/url.ts'
import { answerRobotsLine } from '../robots/batch.ts'
import { decideRobots } from '../robots/decide.ts'
import { explainRobots } from '../robots/explain.ts'
import { readRobots } from '../robots/read.ts'
import { secondReader } from '../robots/second-reader.ts'
import { Halt } from '../shell/halt.ts'
import type { Io, Verb } from './command.ts'
import { linesOf } from './lines.ts'
import { document, line, safe } from './print.ts'

export const robotsVerb: Verb = (io) =>
  new Command('robots')
    .description('what a robots.txt says, and why; asks nobody, opens no ledger')
    .addHelpText(
      'after',
      '\nExample:\n  crawl-ledger robots explain https://example.org/a --agent PlainReckonerBot --file robots.txt',
    )
    .addCommand(decideVerb(io))
    .addCommand(explainVerb(io))

const decideVerb = (io: Io): Command =>
  new Command('decide')
    .description('decide many questions, one JSON object a line in and out')
    .requiredOption(
      '--jsonl',
      '{"id","robots"|"robotsB64"|"robotsGen","userAgent","url","robotsUrl"?} a line',
    )
    .option('--reader <name>', 'rfc9309, or robots-parser as a second opinion', 'rfc9309')
    .option('--debug', 'print stack traces of errors')
    .addHelpText('after', '\nExample:\n  crawl-ledger robots decide --jsonl < questions.jsonl')
    .action(async ({ reader }: { readonly reader: string }) => {
      if (reader !== 'rfc9309' && reader !== 'robots-parser') {
        throw new Halt({ tag: 'WrongUse', because: '--reader takes rfc9309 or robots-parser' })
      }
      const second = reader === 'robots-parser' ? secondReader : undefined
      for await (const question of linesOf(io.in)) {
        await io.out(line(answerRobotsLine(question, second)))
      }
    })

type ExplainFlags = { readonly agent: string; readonly file: string; readonly json?: boolean }

const explainVerb = (io: Io): Command =>
  new Command('explain')
    .description('say in words why an address is allowed or not')
    .argument('<url>', 'the address')
    .requiredOption('--agent <token>', 'the robots product token, for example PlainReckonerBot')
    .requiredOption('--file <file>', 'the robots.txt of that origin')
    .option('--json', 'print one JSON document')
    .option('--debug', 'print stack traces of errors')
    .addHelpText(
      'after',
      '\nExit code 1: not allowed.\n\nExample:\n  crawl-ledger robots explain https://example.org/a --agent PlainReckonerBot --file robots.txt',
    )
    .action(async (address: string, flags: ExplainFlags) => {
      const url = parseHttpUrl(address)
      if (E.isLeft(url))
        throw new Halt({ tag: 'WrongUse', because: `not an http(s) address (${url.left})` })
      const file = readRobots(await readBytes(flags.file))
      const verdict = decideRobots(file, flags.agent, url.right)
      const why = explainRobots(file, flags.agent, url.right)
      if (!verdict.allowed) io.exitWith(1)
      if (flags.json === true) return io.out(document({ ...verdict, why }))
      await io.out(why.map((sentence) => `${safe(sentence)}\n`).join(''))
    })
