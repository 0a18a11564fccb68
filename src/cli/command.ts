import { Command, Option } from 'commander'
import { compose, type Opened } from '../compose.ts'
import { type CommonFlags, type Config, configOf } from '../config.ts'

/** What a verb may touch of the world around it. */
export type Io = {
  /** Standard output; resolves when it has room for more. */
  readonly out: (text: string) => Promise<void>
  /** Standard error: progress and errors, never results. */
  readonly err: (text: string) => void
  /** Standard input, for batch verbs. */
  readonly in: AsyncIterable<Buffer>
  readonly isTerminal: boolean
  readonly columns: number
  readonly environment: { readonly [name: string]: string | undefined }
  /** Aborted by the first Ctrl-C or SIGTERM: finish what is under way, begin nothing new. */
  readonly stop: AbortSignal
  /** The exit code the process will end with if the verb returns. */
  readonly exitWith: (code: number) => void
}

export type Verb = (io: Io) => Command

const collect = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
]

/** A verb with the flags that every verb takes. */
export const verb = (name: string, summary: string): Command =>
  new Command(name)
    .description(summary)
    .option(
      '--data <dir>',
      'where embedded database and bodies live (CRAWL_LEDGER_DATA, else ./.crawl-ledger)',
    )
    .option('--debug', 'print stack traces of errors')

/** The flag of verbs for which it matters what time it is. */
export const timed = (command: Command): Command =>
  command.addOption(new Option('--clock <clock>', 'system, or simulated[:START]').default('system'))

/** The flags of verbs that make requests. */
export const crawling = (command: Command): Command =>
  timed(command)
    .option(
      '--resolve <rule>',
      'HOST[:PORT]=ADDR:PORT sends that host there; repeatable, * allowed',
      collect,
    )
    .option('--resolve-file <file>', 'one such rule a line; repeatable', collect)
    .option('--ca <file>', 'trust one more certificate authority (PEM); repeatable', collect)
    .option('--origin <name>', 'the name of the log, when it is opened for the first time')

/** Output for programs. */
export const forPrograms = (command: Command): Command =>
  command
    .option('--json', 'print one JSON document')
    .option('--jsonl', 'print one JSON object a line, streaming')

export { collect }

/** Opens what the flags name, runs `task`, and closes again whatever happens. */
export const withOpened = async <A>(
  io: Io,
  flags: CommonFlags,
  task: (opened: Opened, config: Config) => Promise<A>,
): Promise<A> => {
  const config = configOf(flags, io.environment)
  const opened = await compose(config)
  try {
    return await task(opened, config)
  } finally {
    await opened.close()
  }
}
