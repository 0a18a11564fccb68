/** How commands have signed what they recorded, and cosigned by the witnesses of the log. */
import type { Opened } from '../compose.ts'
import { NO_WITNESSES, type Witness } from '../ledger/tlog/witness.ts'
import { headCovering } from '../shell/tlog/cosigned-heads.ts'
import { readLogRecord } from '../shell/tlog/log-record.ts'
import { assertUnobjected, openObjectionsOf } from '../shell/tlog/objecting.ts'
import { type Sealed, type Sealer, sealer } from '../shell/tlog/seal.ts'
import { whileSealing } from '../shell/tlog/while-sealing.ts'
import { type Witnessing, witnessing } from '../shell/tlog/witnessing.ts'
import type { Io } from './command.ts'
import { safe } from './print.ts'

const BREACH = 3

export const sealerOf = ({ ledger, tlog }: Pick<Opened, 'ledger' | 'tlog'>): Sealer =>
  sealer({ ...tlog, ledger })

export const witnessesOf = async ({
  ledger,
}: Pick<Opened, 'ledger'>): Promise<readonly Witness[]> =>
  (await readLogRecord(ledger))?.witnesses.named ?? []

const witnessingOf = async (io: Io, opened: Opened): Promise<Witnessing> =>
  witnessing(opened.tlog, await witnessesOf(opened), (text) => io.err(`${safe(text)}\n`))

/** Seals what was just recorded; its witnesses have a few seconds to cosign that. */
export const sealNow = async (io: Io, opened: Opened): Promise<Sealed> => {
  const witnesses = await witnessingOf(io, opened)
  const sealed = await sealerOf(opened)()
  witnesses.sealed(sealed)
  await witnesses.end()
  return sealed
}

/** Has a head that can be handed out cover the position, if none does yet. */
export const sealUpTo = async (io: Io, opened: Opened, position: number): Promise<void> => {
  const { witnesses = NO_WITNESSES } = (await readLogRecord(opened.ledger)) ?? {}
  if ((await headCovering(opened.tlog, witnesses, position)) !== undefined) return
  await assertUnobjected(opened.tlog, await witnessesOf(opened))
  await sealNow(io, opened)
}

/** Runs a job with the log sealed before, meanwhile and after; `stop` also stops it for a breach. */
export const sealedWhile = async <A>(
  io: Io,
  opened: Opened,
  job: (stop: AbortSignal) => Promise<A>,
): Promise<A> => {
  const witnesses = await witnessingOf(io, opened)
  const seal = sealerOf(opened)
  const sealAndTell = async (): Promise<Sealed> => {
    const sealed = await seal()
    witnesses.sealed(sealed)
    return sealed
  }
  try {
    const { result, sealed } = await whileSealing(sealAndTell, opened.tlog.every, (broken) =>
      job(AbortSignal.any([io.stop, broken])),
    )
    if (sealed.tag === 'Elsewhere') io.err(SEALED_ELSEWHERE)
    return result
  } finally {
    await witnesses.end()
    // The run is done; whoever looks only at the code learns that the next one will not begin.
    if ((await openObjectionsOf(opened.tlog, await witnessesOf(opened))).length > 0)
      io.exitWith(BREACH)
  }
}

const SEALED_ELSEWHERE =
  'this data directory does not hold the log’s key: its heads are signed where the key is\n'
