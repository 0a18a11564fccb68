/** The program as its users run it: a process of its own, and what it prints. */
import { equal, match } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PROGRAM = join(import.meta.dirname, '../../src/cli.ts')

export type Ended = { readonly code: number | null; readonly out: string; readonly err: string }

export type Program = {
  readonly run: (...args: readonly string[]) => Promise<Ended>
  /** What it prints when it does what it should. */
  readonly done: (...args: readonly string[]) => Promise<string>
  /** The one line that it says when it ends with that code. */
  readonly refused: (code: number, ...args: readonly string[]) => Promise<string>
}

/** On the embedded database of `data`, with `cwd` as the working directory. */
export const programOn = (data: string, cwd = data): Program => {
  const environment = {
    ...process.env,
    CRAWL_LEDGER_DATABASE_URL: '',
    CRAWL_LEDGER_DATA: data,
    // Most of what short commands do is read the program.
    NODE_COMPILE_CACHE: join(tmpdir(), 'program-of-tests-compiled'),
  }
  const run: Program['run'] = async (...args) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env: environment })
    const parts = { out: '', err: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => (parts.out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (parts.err += text))
    child.stdin.end()
    await once(child, 'close')
    return { code: child.exitCode, ...parts }
  }
  return {
    run,
    done: async (...args) => {
      const { code, out, err } = await run(...args)
      equal(code, 0, `${args.join(' ')}: ${err}`)
      return out
    },
    refused: async (code, ...args) => {
      const ended = await run(...args)
      equal(ended.code, code, `${args.join(' ')}: ${ended.err}`)
      match(ended.err, /^crawl-ledger: [^\n]+\n$/)
      return ended.err
    },
  }
}
