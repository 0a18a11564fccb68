/** CL3 on real PostgreSQL: what a claim comes to before it is sealed, after a change, and after an alteration. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { PROJECTIONS } from '../../projections/index.ts'
import { fileBodyStore } from '../../src/adapters/bodies/files.ts'
import type { ClaimPublished } from '../../src/ledger/events/claim-published.ts'
import { formatCitation } from '../../src/publish/citation-format.ts'
import { citationAt } from '../../src/shell/citing/cite.ts'
import type { ClaimPorts } from '../../src/shell/citing/derive.ts'
import { type AskedBasis, claimOf, publishClaim } from '../../src/shell/citing/publish-claim.ts'
import { claimNamed, verifyClaim } from '../../src/shell/citing/verify-claim.ts'
import { position } from '../../src/kernel/position.ts'
import { right } from '../support/either.ts'
import { RUN, streamOf } from '../support/ledgers.ts'
import { memoryStore, READERS } from '../support/projecting.ts'
import { sampleOf } from '../support/samples.ts'
import { type SealedLedger, sealedLedger, tamper } from '../support/sealing.ts'
import { site } from '../support/history.ts'

const ID = '5f0c2a9b1d3e'

type World = SealedLedger & { readonly claiming: ClaimPorts }

const world = async (t: TestContext): Promise<World> => {
  const opened = await sealedLedger(t)
  const bodies = right(await fileBodyStore(join(opened.data, 'bodies'), randomBytes)())
  const given = { bodies, store: memoryStore(), readers: READERS, projections: PROJECTIONS }
  return { ...opened, claiming: { ...opened.tlog, ledger: opened.ledger, ...given } }
}

const publish = async (
  { claiming }: World,
  basis: AskedBasis = { kind: 'events' },
  cites = [2],
) => {
  const asked = { id: ID, statement: 'It was left alone.', by: 'A. Reporter', cites, basis }
  const claim = await claimOf(claiming, asked)
  await publishClaim(claiming, RUN, claim)
  return claim
}
const verdict = async ({ claiming }: World) =>
  verifyClaim(claiming, await claimNamed(claiming.ledger, ID))

/** `news.example` is the site of every small event. */
const EXCLUDED: AskedBasis = {
  kind: 'state',
  projection: 'site-cooldown',
  site: site('news.example'),
  where: [],
  column: 'excluded_by',
  at: undefined,
  value: 'A. Operator',
}
const NOTHING_SINCE = { verdict: 'holds', value: null, by: null, since: null }

test('a claim on positions that no signed head covers is unverifiable until they are sealed', async (t) => {
  const w = await world(t)
  await w.append(1)
  await publish(w)
  const found = await verdict(w)
  equal(found.verdict, 'unverifiable')
  ok(found.verdict === 'unverifiable')
  // The log has no key at all before its first head.
  deepEqual(found.because.length, 2)
  match(found.because.join(), /position 2: .*position 3: /)
  await w.seal()
  deepEqual(await verdict(w), NOTHING_SINCE)
})

test('a position after the newest head is not sealed either', async (t) => {
  const w = await world(t)
  await w.seal()
  await w.append(1)
  await publish(w)
  const found = await verdict(w)
  ok(found.verdict === 'unverifiable')
  match(
    found.because.join(),
    /no signed head covers position 2 yet.*no signed head covers position 3 yet/,
  )
})

test('CL6 a state that changed since leaves the claim about its moment standing, and is told', async (t) => {
  const w = await world(t)
  await w.append(1)
  const claim = await publish(w, EXCLUDED)
  ok(claim.basis.kind === 'state')
  deepEqual([claim.basis.value, claim.basis.at], ['"A. Operator"', 2])
  await w.seal()
  const by = 'site-cooldown@1'
  deepEqual(await verdict(w), { verdict: 'holds', value: '"A. Operator"', by, since: null })
  const event = {
    type: 'SiteReadmitted',
    v: 1,
    site: site('news.example'),
    by: 'B',
    note: null,
  } as const
  right(
    await w.ledger.append(RUN, { stream: streamOf('a'), expectedVersion: 1, events: [event] })(),
  )
  await w.seal()
  deepEqual(await verdict(w), {
    verdict: 'holds',
    value: '"A. Operator"',
    by,
    since: { value: 'null', position: 4 },
  })
})

test('a claim about a row cites what made it, and a state at a moment that was is asked for', async (t) => {
  const w = await world(t)
  await w.append(2)
  await rejects(publish(w, EXCLUDED), /made by position 3, which the claim does not cite/)
  equal((await publish(w, { ...EXCLUDED, at: 2 })).cites.length, 1)
  await rejects(publish(w, { ...EXCLUDED, at: 9 }), /there is no position 9/)
})

/** What was seen of a homepage, three times: one manager, another, and the first again. */
const observed = async (w: World): Promise<void> => {
  const { event } = sampleOf('NetworkObserved')
  ok(event.type === 'NetworkObserved')
  const seen = ['a', 'b', 'a', 'b'].map((manager) => ({
    ...event,
    subject: site('news.example'),
    read: 'read' as const,
    manager,
  }))
  for (const [expectedVersion, one] of seen.entries())
    right(await w.ledger.append(RUN, { stream: streamOf('a'), expectedVersion, events: [one] })())
}
const CHANGED: AskedBasis = {
  kind: 'state',
  projection: 'network-findings',
  site: site('news.example'),
  where: [{ column: 'about', value: 'b' }],
  column: 'change',
  at: 3,
  value: 'a -> b',
}

test('a claim on a finding by the version that forgot findings is made again with this one, which says so', async (t) => {
  const w = await world(t)
  await observed(w)
  const asked = { id: ID, statement: 'It changed.', by: 'A', cites: [3], basis: CHANGED }
  const claim = await claimOf(w.claiming, asked)
  ok(claim.basis.kind === 'state' && claim.basis.version === 2)
  await publishClaim(w.claiming, RUN, { ...claim, basis: { ...claim.basis, version: 1 } })
  // As of then the first version had one row that fitted, and this one has two.
  const later = { ...claim.basis, version: 1, at: position(5) }
  const other = { ...claim, id: 'ffffffffffff', basis: later }
  await publishClaim(w.claiming, RUN, other)
  await w.seal()
  deepEqual(await verdict(w), {
    verdict: 'holds',
    value: '"a -> b"',
    by: 'network-findings@2',
    since: null,
  })
  deepEqual(await verifyClaim(w.claiming, await claimNamed(w.ledger, other.id)), {
    verdict: 'unverifiable',
    because: [
      '2 rows fit; say which with --where',
      'it was claimed by network-findings@1; this program has network-findings@2',
    ],
  })
})

test('an altered entry is a breach, never a verdict', async (t) => {
  const w = await world(t)
  await w.append(1)
  await publish(w)
  await w.seal()
  await tamper(
    w,
    `update event set entry = convert_to(replace(convert_from(entry, 'UTF8'), 'A. Operator', 'B. Operator'), 'UTF8') where position = 2`,
  )
  await rejects(verdict(w), (error) => {
    ok(error instanceof Error && 'failure' in error)
    match(error.message, /integrity breach at position 2/)
    return true
  })
})

test('a claim that says another type than stands there is a breach; one of a claim is unverifiable', async (t) => {
  const w = await world(t)
  await w.append(1)
  const cites = [{ position: position(2), type: 'SiteReadmitted' }]
  const base = {
    ...(await claimOf(w.claiming, {
      id: ID,
      statement: 'x',
      by: 'A',
      cites: [2],
      basis: { kind: 'events' },
    })),
  }
  await publishClaim(w.claiming, RUN, { ...base, cites })
  await w.seal()
  await rejects(
    verdict(w),
    /integrity breach at position 2: claim .* cites SiteReadmitted there, and it is SiteExcluded/,
  )
  const other: ClaimPublished = {
    ...base,
    id: 'ffffffffffff',
    cites: [{ position: position(3), type: 'ClaimPublished' }],
  }
  await publishClaim(w.claiming, RUN, other)
  await w.seal()
  const found = await verifyClaim(w.claiming, await claimNamed(w.ledger, other.id))
  ok(found.verdict === 'unverifiable')
  match(found.because.join(), /no claim can cite/)
})

test('an id is published once', async (t) => {
  const w = await world(t)
  await w.append(1)
  await publish(w)
  await rejects(publish(w), /moved to version 1/)
})

test('CL4 a fetch that is not sealed yet is cited as such, and as sealed afterwards', async (t) => {
  const w = await world(t)
  const { event } = sampleOf('RequestSent')
  right(
    await w.ledger.append(RUN, { stream: streamOf('a'), expectedVersion: 0, events: [event] })(),
  )
  const ports = { ledger: w.ledger, tree: w.tlog.tree }
  const before = await citationAt(ports, 2, undefined)
  deepEqual([before.end, before.answer, before.sealed], ['open', null, null])
  await w.seal()
  const { sealed } = await citationAt(ports, 2, undefined)
  equal(sealed?.size, 2)
  match(
    formatCitation('text', before) ?? '',
    /no end is recorded yet, .*not sealed by a signed head yet/,
  )
})
