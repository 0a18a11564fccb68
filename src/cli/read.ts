import { readBytes } from '../compose.ts'
import { BATCH_READER_NAMES, batchReader } from '../readers/batch.ts'
import { Halt } from '../shell/halt.ts'
import { type Verb } from './command.ts'
import { Command } from 'commander'
import { linesOf } from './lines.ts'
import { document, line } from './print.ts'

export const readVerb: Verb = (io) =>
  new Command('read')
    .description('try a reader on your own files; asks nobody, opens no ledger')
    .argument('<reader>', `${BATCH_READER_NAMES.join(', ')}; or a version of one: ads-txt@1`)
    .argument('[file]', 'one file to read; - for standard input')
    .option('--jsonl', 'one {"id":…,"input":…} a line in, one {"id":…,…reading} a line out')
    .option('--json', 'print the reading of FILE as one document (the default)')
    .option('--domain <domain>', 'the site the file belongs to')
    .option('--debug', 'print stack traces of errors')
    .addHelpText(
      'after',
      `
Examples:
  crawl-ledger read ads-txt ./ads.txt
  crawl-ledger read ads-txt@1 ./ads.txt
  crawl-ledger read sellers-json --jsonl < rows.jsonl`,
    )
    .action(async (name: string, file: string | undefined, flags: ReadFlags) => {
      const read = batchReader(name)
      if (read === undefined) {
        const because = `no reader ${name.slice(0, 60)}; there are ${BATCH_READER_NAMES.join(', ')}`
        throw new Halt({ tag: 'WrongUse', because })
      }
      if (flags.jsonl === true) {
        for await (const row of linesOf(io.in)) await io.out(line(read(row)))
        return
      }
      const bytes = await bytesOf(file, io.in)
      const row = {
        id: file ?? '-',
        inputB64: bytes.toString('base64'),
        input: null,
        domain: flags.domain,
      }
      const { id: _, ...reading } = read(JSON.stringify(row))
      await io.out(document(reading))
    })

type ReadFlags = { readonly jsonl?: boolean; readonly json?: boolean; readonly domain?: string }

const bytesOf = async (file: string | undefined, input: AsyncIterable<Buffer>): Promise<Buffer> => {
  if (file === undefined)
    throw new Halt({ tag: 'WrongUse', because: 'name a file, or give --jsonl' })
  return file === '-' ? everything(input) : readBytes(file)
}

const everything = async (input: AsyncIterable<Buffer>): Promise<Buffer> => {
  const parts: Buffer[] = []
  for await (const part of input) parts.push(part)
  return Buffer.concat(parts)
}
