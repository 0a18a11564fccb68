import { folderAt } from '../../compose.ts'
import type { CommonFlags } from '../../config.ts'
import { writeEvidence } from '../../shell/tlog/evidence.ts'
import { forPrograms, type Verb, verb, withOpened } from '../command.ts'
import { positionArgument } from '../log.ts'
import { sealUpTo } from '../sealing.ts'
import { document, line, safe } from '../print.ts'

type EvidenceFlags = CommonFlags & { json?: boolean; jsonl?: boolean }

export const evidenceVerb: Verb = (io) =>
  forPrograms(
    verb('evidence', 'write what an outsider needs to check one event, without this program'),
  )
    .argument('<position>', 'the position of the event')
    .argument('<dir>', 'a new directory for the files')
    .addHelpText('after', '\nExample:\n  crawl-ledger evidence 42 ./evidence-42')
    .action(async (given: string, dir: string, flags: EvidenceFlags) => {
      const position = positionArgument('evidence', given, 1)
      await withOpened(io, flags, async (opened) => {
        await sealUpTo(io, opened, position)
        const ports = { ...opened.tlog, ledger: opened.ledger, bodies: opened.bodies }
        const files = await writeEvidence(ports, position, folderAt(dir))
        const answer = { position, directory: dir, files }
        if (flags.json === true) return io.out(document(answer))
        if (flags.jsonl === true) return io.out(line(answer))
        await io.out(
          `${safe(`evidence for position ${position} in ${dir}: ${files.join(', ')}`)}\n`,
        )
      })
    })
