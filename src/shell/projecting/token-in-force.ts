import { E, type Either } from '../../kernel/fp.ts'
import type { Ledger, ReadFailure } from '../../ledger/port.ts'
import { programmeStream } from '../../ledger/stream.ts'
import { parsePolicy } from '../../programmes/policy-file.ts'

const PAGE = 1_000

/** The robots product token of the programme's policy at `position`; null where none can be read. */
export const tokenInForce = async (
  ledger: Pick<Ledger, 'readAll'>,
  programme: string,
  position: number,
): Promise<Either<ReadFailure, string | null>> => {
  let token: string | null = null
  const of = {
    limit: PAGE,
    types: ['ProgrammeAdopted'],
    stream: programmeStream(programme),
  } as const
  for (let after = 0; ;) {
    const page = await ledger.readAll({ ...of, after })()
    if (E.isLeft(page)) return page
    for (const { event, position: at } of page.right) {
      if (at > position) return E.right(token)
      if (event.type !== 'ProgrammeAdopted') continue
      const policy = parsePolicy(`the policy at position ${at}`, event.policy)
      token = E.isRight(policy) ? policy.right.robotsToken : null
    }
    const last = page.right.at(-1)
    if (last === undefined || page.right.length < PAGE) return E.right(token)
    after = last.position
  }
}
