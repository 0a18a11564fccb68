/** The auditors' way over the ledger: every entry once, in order, from its stored bytes. */
import { type Completeness, completenessAudit } from '../../audit/completeness.ts'
import { type Difference, robotsAudit, type RobotsAuditTotals } from '../../audit/robots-audit.ts'
import { promiseAudit, type PromiseResult } from '../../audit/promise-audit.ts'
import type { BodyStore } from '../../capture/port.ts'
import type { Instant } from '../../kernel/instant.ts'
import type { Recorded } from '../../ledger/entry.ts'
import type { Ledger } from '../../ledger/port.ts'
import type { RobotsReader } from '../../robots/reader.ts'
import { auditFiles } from './files.ts'
import { entriesOf } from '../entries.ts'
import { orHalt } from '../halt.ts'

export type AuditPorts = { readonly ledger: Ledger; readonly bodies: BodyStore }

export type AuditWindow = {
  /** Only events from here on count; what lies before is their past. */
  readonly since: Instant | undefined
  /** What lies after it is not read. */
  readonly until: Instant | undefined
  readonly programme: string | undefined
}

export type AuditProgress = (position: number, of: number) => void

/** How far an audit got: to which position, and whether it was stopped before the end. */
export type Reach = { readonly position: number; readonly interrupted: boolean }

type Way = {
  readonly until: Instant | undefined
  readonly stop: AbortSignal
  readonly progress: AuditProgress
}

/** Shows every entry to `see`. A page is a thousand entries; nothing of it is held on to. */
const walk = async (
  ledger: Ledger,
  { until, stop, progress }: Way,
  see: (recorded: Recorded) => Promise<void> | void,
): Promise<Reach> => {
  const { position: of } = await orHalt(ledger.head())
  let reached = 0
  const filter = until === undefined ? { after: 0 } : { after: 0, until }
  for await (const { recorded } of entriesOf(ledger, filter)) {
    if (stop.aborted) return { position: reached, interrupted: true }
    await see(recorded)
    reached = recorded.position
    progress(reached, Math.max(of, reached))
  }
  return { position: reached, interrupted: false }
}

export type AuditRun = Omit<Way, 'until'> & { readonly window: AuditWindow }

export const auditPromises = async (
  { ledger, bodies }: AuditPorts,
  { window, ...way }: AuditRun,
): Promise<Reach & { readonly results: readonly PromiseResult[] }> => {
  const audit = promiseAudit(window)
  const files = auditFiles(bodies)
  const reach = await walk(ledger, { ...way, until: window.until }, async (recorded) => {
    const wanted = audit.wants(recorded)
    audit.take(recorded, wanted === undefined ? undefined : await files.kept(wanted))
  })
  return { ...reach, results: audit.results() }
}

export const auditCompleteness = async (
  { ledger }: Pick<AuditPorts, 'ledger'>,
  way: Omit<Way, 'until'>,
): Promise<Reach & { readonly found: Completeness }> => {
  const audit = completenessAudit()
  const reach = await walk(ledger, { ...way, until: undefined }, audit.take)
  return { ...reach, found: audit.result() }
}

/** `tell` gets each difference as it is found. */
export const auditRobots = async (
  { ledger, bodies }: AuditPorts,
  reader: RobotsReader,
  { window, ...way }: AuditRun,
  tell: (difference: Difference) => Promise<void>,
): Promise<Reach & { readonly totals: RobotsAuditTotals }> => {
  const audit = robotsAudit(reader, window)
  const files = auditFiles(bodies)
  const reach = await walk(ledger, { ...way, until: window.until }, async (recorded) => {
    const wanted = audit.wants(recorded)
    const bytes = wanted === undefined ? undefined : await files.bytes(wanted)
    const difference = audit.take(recorded, bytes)
    if (difference !== undefined) await tell(difference)
  })
  return { ...reach, totals: audit.totals() }
}
