import { Command } from 'commander'
import { answerRobotsLine } from '../../robots/batch.ts'
import { secondReader } from '../../robots/second-reader.ts'
import { Halt } from '../../shell/halt.ts'
import type { Io, Verb } from '../command.ts'
import { linesOf } from '../lines.ts'
import { line } from '../print.ts'
import { robotsCompareVerb } from './compare.ts'
import { robotsExplainVerb } from './explain.ts'

export const robotsVerb: Verb = (io) =>
  new Command('robots')
    .description('what a robots.txt says, and why; asks nobody')
    .addHelpText(
      'after',
      '\nExample:\n  crawl-ledger robots explain https://example.org/a --agent PlainReckonerBot',
    )
    .addCommand(decideVerb(io))
    .addCommand(robotsExplainVerb(io))
    .addCommand(robotsCompareVerb(io))

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
