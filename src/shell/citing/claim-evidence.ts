import type { Ledger } from '../../ledger/port.ts'
import type { Folder } from '../../publish/folder.ts'
import { Halt, orHalt } from '../halt.ts'
import { type EvidencePorts, writeEvidence } from '../tlog/evidence.ts'
import { evidencePositions, type PublishedClaim } from './verify-claim.ts'

/** A folder by its path below the one for the whole claim; '' for that one. */
export type FolderOf = (below: string) => Folder

type Ports = EvidencePorts & { readonly ledger: Ledger }

/**
 * Writes `claim.json` (the stored entry with its position) and, in a folder named by its position, a bundle for the claim
 * and for each event that it rests on; gives the positions.
 */
export const writeClaimEvidence = async (
  ports: Ports,
  claim: PublishedClaim,
  folderOf: FolderOf,
): Promise<readonly number[]> => {
  const whole = folderOf('')
  if ((await orHalt(whole.list())).length > 0)
    throw new Halt({
      tag: 'WrongUse',
      because: `${whole.place} is not empty; name a new directory`,
    })
  const positions = await evidencePositions(ports.ledger, claim)
  for (const position of positions) await writeEvidence(ports, position, folderOf(String(position)))
  const { position } = claim
  const [stored] = await orHalt(ports.ledger.readEntries({ after: position - 1, limit: 1 }))
  // The entry as the bytes that are stored: no second serialisation of them.
  const entry = stored?.entry.toString('utf8') ?? 'null'
  await orHalt(whole.write('claim.json', `{"position":${position},"entry":${entry}}\n`))
  return positions
}
