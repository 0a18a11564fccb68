/** Statements that a person publishes, with the events they rest on, and what they come to today. */
import { join } from 'node:path'
import { Command } from 'commander'
import { folderAt } from '../../compose.ts'
import type { CommonFlags } from '../../config.ts'
import { formatInstant } from '../../kernel/instant.ts'
import type { ClaimVerdict } from '../../publish/claim.ts'
import { writeClaimEvidence } from '../../shell/citing/claim-evidence.ts'
import {
  claimNamed,
  isClaim,
  type PublishedClaim,
  verifyClaim,
} from '../../shell/citing/verify-claim.ts'
import { entriesOf } from '../../shell/entries.ts'
import { forPrograms, type Io, type Verb, verb, withOpened } from '../command.ts'
import { sealUpTo } from '../sealing.ts'
import { document, line, safe } from '../print.ts'
import { claimPorts } from './claim-ports.ts'
import { claimText, verdictText } from './claim-text.ts'
import { claimPublishCommand } from './claim-publish.ts'

type Flags = CommonFlags & { readonly json?: boolean; readonly jsonl?: boolean }

export const claimVerb: Verb = (io) =>
  new Command('claim')
    .description('statements that people published, and whether they still follow from history')
    .addHelpText(
      'after',
      `
Examples:
  crawl-ledger claim publish --statement "example.org had an ads.txt" --cites 42 --by "A. Reporter"
  crawl-ledger claim verify 5f0c2a9b1d3e`,
    )
    .addCommand(claimPublishCommand(io))
    .addCommand(verifyCommand(io))
    .addCommand(listCommand(io))
    .addCommand(evidenceCommand(io))

const verifyCommand = (io: Io): Command =>
  forPrograms(verb('verify', 'make a claim again from history: holds, changed or unverifiable'))
    .argument('<id>', 'the id of the claim')
    .addHelpText(
      'after',
      `
Asks no site. Ends with code 0 if the claim holds, 1 if it changed or cannot be verified, 3 if what is stored was altered.

Example:
  crawl-ledger claim verify 5f0c2a9b1d3e`,
    )
    .action(async (id: string, flags: Flags) => {
      await withOpened(io, flags, async (opened) => {
        const claim = await claimNamed(opened.ledger, id)
        const verdict = await verifyClaim(claimPorts(opened), claim)
        if (verdict.verdict !== 'holds') io.exitWith(1)
        const answer = verdictValue(claim, verdict)
        if (flags.json === true) return io.out(document(answer))
        if (flags.jsonl === true) return io.out(line(answer))
        await io.out(`${verdictText(verdict)}${claimText(claim)}`)
      })
    })

const verdictValue = ({ position, event, ts }: PublishedClaim, verdict: ClaimVerdict) => ({
  ...claimValue({ position, event, ts }),
  ...verdict,
})

const claimValue = ({ position, event, ts }: Pick<PublishedClaim, 'position' | 'event' | 'ts'>) => {
  const { id, statement, by, cites, basis } = event
  return { id, position, published: formatInstant(ts), statement, by, cites, basis }
}

const listCommand = (io: Io): Command =>
  forPrograms(verb('list', 'every claim that was published, in order'))
    .addHelpText('after', '\nExample:\n  crawl-ledger claim list --jsonl')
    .action(async (flags: Flags) => {
      await withOpened(io, flags, async ({ ledger }) => {
        const list: unknown[] = []
        for await (const { recorded } of entriesOf(ledger, {
          after: 0,
          types: ['ClaimPublished'],
        })) {
          if (io.stop.aborted) return io.exitWith(5)
          if (!isClaim(recorded)) continue
          if (flags.json === true) list.push(claimValue(recorded))
          else await io.out(flags.jsonl === true ? line(claimValue(recorded)) : claimText(recorded))
        }
        if (flags.json === true) await io.out(document(list))
      })
    })

const evidenceCommand = (io: Io): Command =>
  forPrograms(verb('evidence', 'write what an outsider needs to check each event behind a claim'))
    .argument('<id>', 'the id of the claim')
    .argument('<dir>', 'a new directory: claim.json, and a bundle in a folder for each position')
    .addHelpText('after', '\nExample:\n  crawl-ledger claim evidence 5f0c2a9b1d3e ./claim')
    .action(async (id: string, dir: string, flags: Flags) => {
      await withOpened(io, flags, async (opened) => {
        const claim = await claimNamed(opened.ledger, id)
        await sealUpTo(io, opened, claim.position)
        const positions = await writeClaimEvidence(claimPorts(opened), claim, (below) =>
          folderAt(join(dir, below)),
        )
        const answer = { id, directory: dir, positions }
        if (flags.json === true) return io.out(document(answer))
        if (flags.jsonl === true) return io.out(line(answer))
        const text = `evidence for claim ${id} in ${dir}: claim.json, and a bundle for each of ${positions.join(', ')}`
        await io.out(`${safe(text)}\n`)
      })
    })
