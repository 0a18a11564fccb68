/** C2SP tlog-policy, and evidence under witnesses: quorum, bracket, back-dating. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { describeParseFailure } from '../../../src/kernel/codec.ts'
import { instant } from '../../../src/kernel/instant.ts'
import { encodeEntry, leafHash } from '../../../src/ledger/entry.ts'
import { headText } from '../../../src/ledger/tlog/head.ts'
import { formatNote } from '../../../src/ledger/tlog/note.ts'
import { checkEvidence } from '../../../src/publish/check-evidence.ts'
import { isQuorum, parsePolicy, policyText } from '../../../src/publish/policy.ts'
import { formatEntryProof, formatGrowthProof } from '../../../src/publish/proof-file.ts'
import { left, right } from '../../support/either.ts'
import { naiveConsistency, naiveInclusion, naiveLeaf, naiveRoot } from '../../support/naive-tree.ts'
import { noteSigner } from '../../support/note-signer.ts'
import { sampleOf } from '../../support/samples.ts'

const origin = 'ledger.example/crawl'
const log = noteSigner(origin, 'log', 1)
const witnesses = [10, 11, 12].map((seed) => noteSigner(`w${seed}.example/w`, 'witness', seed))
const [w1, w2, w3] = witnesses.map(({ key }) => key)
ok(w1 !== undefined && w2 !== undefined && w3 !== undefined)
const RULES = `log ${log.key.vkey}
witness a ${w1.vkey} https://w.example/
witness b ${w2.vkey}
witness c ${w3.vkey}
`
const policyOf = (rest: string) => right(parsePolicy('policy', `${RULES}${rest}`))

test('a quorum is a witness, or so many of a group, or groups of groups', () => {
  const two = policyOf('group q 2 a b c\nquorum q\n')
  const own = [...two.witnesses.values()]
  equal(isQuorum(two, own.slice(1)), true)
  equal(isQuorum(two, own.slice(2)), false)
  const nested = policyOf('group any1 any a b\ngroup q all any1 c\nquorum q\n')
  const [a, b, c] = [...nested.witnesses.values()]
  ok(a && b && c)
  deepEqual(
    [[a, c], [b, c], [a, b], [c]].map((signed) => isQuorum(nested, signed)),
    [true, true, false, false],
  )
  const single = policyOf('quorum b\n')
  deepEqual(
    [...single.witnesses.values()].map((key) => isQuorum(single, [key])),
    [false, true, false],
  )
  ok(isQuorum(policyOf('quorum none\n'), []))
})

test('comments, blanks and tabs are passed over; rules are kept', () => {
  const policy = right(
    parsePolicy('policy', `# mine\n\n  log\t${log.key.vkey}  \n\tquorum   none\n`),
  )
  deepEqual(policy.rules, [`log ${log.key.vkey}`, 'quorum none'])
  equal(policyText(policy.logs), `${policy.rules.join('\n')}\n`)
})

for (const [what, text, why] of [
  ['no quorum', RULES, /exactly one quorum/],
  ['two quorums', `${RULES}quorum none\nquorum a\n`, /exactly one quorum/],
  ['no line feed at the end', `${RULES}quorum none`, /line feed/],
  ['a quorum of nobody known', `${RULES}quorum q\n`, /line 5: expected quorum/],
  [
    'a word that is none',
    `${RULES}trust me\nquorum none\n`,
    /line 5: expected log, witness, group or quorum/,
  ],
  ['a witness as a log', `log ${w1.vkey}\nquorum none\n`, /line 1: expected a key of a log/],
  [
    'a log as a witness',
    `witness x ${log.key.vkey}\nquorum none\n`,
    /line 1: expected a key of a witness/,
  ],
  ['the same key twice', `${RULES}log ${log.key.vkey}\nquorum none\n`, /each key once/],
  ['a name twice', `${RULES}group a any b\nquorum none\n`, /group NAME/],
  ['a group of none', `${RULES}group q any\nquorum none\n`, /group NAME/],
  ['a threshold of 0', `${RULES}group q 0 a\nquorum q\n`, /group NAME/],
  ['a threshold over the members', `${RULES}group q 3 a b\nquorum q\n`, /group NAME/],
  ['a member named later', `${RULES}group q any r\nquorum q\n`, /members that were named before/],
  [
    'a member of two groups',
    `${RULES}group q any a\ngroup r any a\nquorum q\n`,
    /each in one group/,
  ],
  ['a member twice', `${RULES}group q any a a\nquorum q\n`, /each in one group/],
  ['none as a name', `witness none ${w1.vkey}\nquorum none\n`, /witness NAME/],
  ['a control character', `${RULES}quorum none\r\n`, /control characters/],
  [
    'a damaged key',
    `log ${log.key.vkey.replace('ledger', 'ledgex')}\nquorum none\n`,
    /line 1: expected an id/,
  ],
] as const)
  test(`a policy with ${what} is refused, with its line`, () => {
    match(describeParseFailure(left(parsePolicy('policy', text))), why)
  })

const NOW = Date.UTC(2026, 10, 30, 2, 31, 4)
const second = (ms: number): number => Math.floor(ms / 1_000)

/** Evidence for the last of six entries, recorded at `ts`; heads of 4 and 6, witnessed at those times. */
const evidence = (ts: number, before: number, after: number, signing = witnesses) => {
  const { event, envelope } = sampleOf('SiteExcluded')
  const entry = encodeEntry(event, { ...envelope, ts: instant(ts) })
  const leaves = [...[1, 2, 3, 4, 5].map((n) => naiveLeaf(Buffer.of(n))), leafHash(entry)]
  const noteOf = (size: number, time: number): string => {
    const text = headText({ origin, size, root: naiveRoot(leaves.slice(0, size)) })
    const signatures = signing.map((witness, i) => witness.sign(text, second(time) + i))
    return formatNote({ text, signatures: [log.sign(text), ...signatures] })
  }
  const checkpoint = noteOf(6, after)
  const files = {
    'event.json': entry,
    'event.tlog-proof': formatEntryProof({
      index: 5,
      proof: naiveInclusion(5, leaves),
      checkpoint,
    }),
    'before.checkpoint': noteOf(4, before),
    'consistency.txt': formatGrowthProof({
      older: 4,
      proof: naiveConsistency(4, leaves),
      checkpoint,
    }),
  }
  return new Map(Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes)]))
}

const witnessedPolicy = policyOf('group q 2 a b c\nquorum q\n')

test('witnessed heads bracket the event with times that are not the log’s own', () => {
  const found = right(checkEvidence(evidence(NOW, NOW - 2_000, NOW + 2_000), witnessedPolicy))
  deepEqual(
    [found.position, found.after, found.before, found.witnesses],
    [
      6,
      { size: 4, witnessed: '2026-11-30T02:31:02.000Z' },
      { size: 6, witnessed: '2026-11-30T02:31:06.000Z' },
      witnesses.map(({ key }) => key.name),
    ],
  )
})

test('too few witnesses, or none, are no quorum', () => {
  const one = evidence(NOW, NOW - 2_000, NOW + 2_000, witnesses.slice(0, 1))
  match(left(checkEvidence(one, witnessedPolicy)).because, /too few witnesses/)
  ok(right(checkEvidence(one, policyOf('quorum a\n'))))
})

test('an event whose time is before a witnessed head without it was back-dated', () => {
  const backDated = evidence(NOW - 3_600_000, NOW - 2_000, NOW + 2_000)
  match(left(checkEvidence(backDated, witnessedPolicy)).because, /back-dated/)
  const ahead = evidence(NOW + 3_600_000, NOW - 2_000, NOW + 2_000)
  match(left(checkEvidence(ahead, witnessedPolicy)).because, /later than that of a witnessed head/)
})
