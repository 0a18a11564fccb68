import type { Opened } from '../../compose.ts'
import type { CommonFlags } from '../../config.ts'
import { policyText } from '../../publish/policy.ts'
import { Halt } from '../../shell/halt.ts'
import { readLogRecord } from '../../shell/tlog/log-record.ts'
import { headKeys } from '../../shell/tlog/milestones.ts'
import { assertUnobjected } from '../../shell/tlog/objecting.ts'
import { rotateKey } from '../../shell/tlog/rotate.ts'
import { forPrograms, type Io, type Verb, verb, withOpened } from '../command.ts'
import { newRun } from '../night.ts'
import { sealNow, witnessesOf } from '../sealing.ts'
import { document, line, safe } from '../print.ts'

type KeysFlags = CommonFlags & {
  policy?: boolean
  rotate?: boolean
  by?: string
  note?: string
  json?: boolean
  jsonl?: boolean
}

export const keysVerb: Verb = (io) =>
  forPrograms(verb('keys', 'the keys by which the log’s heads are verified, oldest first'))
    .option('--policy', 'print them as a policy file for check-evidence and other verifiers')
    .option('--rotate', 'sign with a new key from now on; recorded, and the old key is destroyed')
    .option('--by <name>', 'who rotates the key')
    .option('--note <text>', 'why, for those who read the ledger later')
    .addHelpText(
      'after',
      `
Hand the policy on by another way than the evidence: it says whom a checker trusts.

Examples:
  crawl-ledger keys --policy > policy.txt
  crawl-ledger keys --rotate --by "A. Operator" --note "a new machine"`,
    )
    .action(async (flags: KeysFlags) => {
      await withOpened(io, flags, async (opened) => {
        if (flags.rotate === true) await rotate(io, opened, flags)
        const { keys, witnesses } = await keysOf(opened)
        const vkeys = keys.map(({ vkey }) => vkey)
        const policy = policyText(keys, witnesses)
        if (flags.json === true) return io.out(document({ keys: vkeys, policy }))
        if (flags.jsonl === true) return io.out(vkeys.map((vkey) => line({ vkey })).join(''))
        const text = flags.policy === true ? policy : vkeys.map((v) => `${v}\n`).join('')
        await io.out(text.split('\n').map(safe).join('\n'))
      })
    })

const rotate = async (io: Io, opened: Opened, { by, note }: KeysFlags): Promise<void> => {
  if (by === undefined || by.trim() === '')
    throw new Halt({ tag: 'WrongUse', because: '--rotate takes --by NAME' })
  const act = { run: newRun(opened), by, note: note ?? null }
  await assertUnobjected(opened.tlog, await witnessesOf(opened))
  await rotateKey({ ...opened.tlog, ledger: opened.ledger }, () => sealNow(io, opened), act)
}

const keysOf = async ({ ledger, tlog }: Opened) => {
  const log = await readLogRecord(ledger)
  const { keys } = await headKeys(tlog.keys, log)
  if (keys.length > 0) return { keys, witnesses: log?.witnesses }
  const because =
    log === undefined
      ? 'the log was not opened yet; a run opens it and makes its key'
      : `this data directory holds no key of ${log.origin}; ask where its heads are signed`
  throw new Halt({ tag: 'NotFound', because })
}
