/** argv → verb → exit code. */
import { Command, CommanderError } from 'commander'
import type { Io } from './cli/command.ts'
import { safeLines } from './cli/print.ts'
import { VERBS } from './cli/verbs.ts'
import { softwareVersion } from './cli/software.ts'
import { Halt, exitCodeOf } from './shell/halt.ts'

const NODE_MINIMUM = [22, 19] as const
const WRONG_USE = 2
const INTERRUPTED = 5
const DEFECT = 70

const assertNode = (): void => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > NODE_MINIMUM[0] || (major === NODE_MINIMUM[0] && minor >= NODE_MINIMUM[1])) return
  process.stderr.write(
    `crawl-ledger needs Node ${NODE_MINIMUM.join('.')} or newer, this is ${process.versions.node}; run it with npx from the checkout\n`,
  )
  process.exit(WRONG_USE)
}

const ioOf = (stop: AbortSignal): Io => ({
  out: (text) =>
    new Promise((resolve) => {
      if (process.stdout.write(text)) resolve()
      else process.stdout.once('drain', resolve)
    }),
  err: (text) => {
    process.stderr.write(text)
  },
  in: process.stdin,
  isTerminal: process.stdout.isTTY,
  columns: process.stdout.columns ?? 100,
  environment: process.env,
  stop,
  exitWith: (code) => {
    process.exitCode = code
  },
})

/** The first Ctrl-C ends gently; the second at once, and the next run closes what stayed open. */
const stopSignal = (): AbortSignal => {
  const stopping = new AbortController()
  const onSignal = (): void => {
    if (stopping.signal.aborted) process.exit(INTERRUPTED)
    process.stderr.write('\nfinishing what is under way; press Ctrl-C again to stop at once\n')
    stopping.abort()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return stopping.signal
}

const report = (error: unknown, debug: boolean): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USE
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`crawl-ledger: ${safeLines(message)}\n`)
  if (debug && error instanceof Error) process.stderr.write(`${error.stack ?? ''}\n`)
  return error instanceof Halt ? exitCodeOf(error.failure) : DEFECT
}

const main = async (): Promise<void> => {
  assertNode()
  const io = ioOf(stopSignal())
  const program = new Command('crawl-ledger')
    .description('An event-sourced crawl ledger with an audit trail.')
    .version(softwareVersion())
    .showHelpAfterError('(--help shows what there is)')
  for (const verb of VERBS) program.addCommand(withExit(verb(io)))
  withExit(program)
  // A reader that closes the pipe (head, less) has seen enough: that is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? 0 : 4),
  )
  try {
    await program.parseAsync(process.argv)
  } catch (error) {
    process.exitCode = report(error, process.argv.includes('--debug'))
  }
}

/** Commander throws instead of ending the process, in every command of the tree. */
const withExit = (command: Command): Command => {
  command.exitOverride()
  command.commands.forEach(withExit)
  return command
}

await main()
