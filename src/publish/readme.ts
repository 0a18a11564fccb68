/**
 * README.txt of a bundle: how to check it by hand, for this very bundle. The indented lines are
 * commands for a POSIX shell; a test runs them as they stand.
 */
import type { Head } from '../ledger/tlog/head.ts'
import type { VerifierKey } from '../ledger/tlog/key.ts'
import { growthSides } from '../ledger/tlog/proof.ts'
import {
  checkCosignatures,
  checkSignature,
  command,
  DECODE,
  GROWTH_FROM,
  inclusion,
  isRoot,
  join,
  type ProofFiles,
  type Proven,
  verdict,
} from './readme-commands.ts'
import { stampCommands, stampFiles, type Stamped } from './readme-stamp.ts'

export type Told = {
  readonly position: number
  /** One line: what kind of event, when. */
  readonly about: string
  readonly head: Head
  readonly proof: readonly Buffer[]
  readonly before: { readonly head: Head; readonly proof: readonly Buffer[] } | undefined
  readonly keys: readonly VerifierKey[]
  readonly witnesses: readonly VerifierKey[]
  readonly hasBody: boolean
  /** Why there is no body: the event by which it was erased, and its own proof. */
  readonly erasure: Proven | null
  readonly stamp: Stamped | undefined
  readonly isSimulated: boolean
}

const growth = ({ head, before }: Told): string => {
  if (before === undefined) return ''
  const { size } = before.head
  const way = growthSides(size, head.size, before.proof.length)
  const first =
    way?.isComplete === true
      ? 'sed -n 3p before.checkpoint'
      : `sed -n ${GROWTH_FROM}p consistency.txt`
  const from = way?.isComplete === true ? GROWTH_FROM : GROWTH_FROM + 1
  return command(
    `sed '1,/^$/d' consistency.txt > "$W/newer"`,
    verdict('cmp -s "$W/newer" "$W/checkpoint"', 'both proofs speak of the same head'),
    `${first} | ${DECODE} > "$W/was"; cp "$W/was" "$W/is"`,
    ...(way?.sides ?? []).flatMap((side, i) => [
      ...(side === 'left' ? [join('was', 'consistency.txt', from + i, side)] : []),
      join('is', 'consistency.txt', from + i, side),
    ]),
    verdict(
      isRoot('was', 'before.checkpoint'),
      'the earlier head is the one the later grew out of',
    ),
    verdict(isRoot('is', '"$W/checkpoint"'), 'nothing that the earlier head covers was changed'),
  )
}

const files = ({ position, head, before, hasBody, erasure, stamp }: Told): string =>
  [
    'The files\n',
    '  event.json         the event, exactly the bytes that were recorded',
    `  event.tlog-proof   the proof that this is entry ${position} of ${head.size}, and the signed head of those`,
    ...(before === undefined
      ? []
      : [
          `  before.checkpoint  the newest signed head from before the event: ${before.head.size} entries`,
          '  consistency.txt    the proof that the later head grew out of the earlier one',
        ]),
    ...(hasBody
      ? [
          '  body.bin           the body of the response, as it came',
          '  body.salt          32 random bytes that are hashed before the body',
        ]
      : []),
    ...(erasure === null
      ? []
      : [
          `  (no body.bin)      the body is withheld, erased by event ${erasure.position}`,
          `  erased.json        that event (${erasure.about})`,
          '  erased.tlog-proof  the proof that it is in the log',
        ]),
    ...stampFiles(stamp),
    '  policy.txt         the keys of the log and of its witnesses, as its operator states them\n',
  ].join('\n')

const opening = (told: Told): readonly string[] => [
  `EVIDENCE FOR POSITION ${told.position} OF THE LOG ${told.head.origin}\n`,
  `${told.about}\n`,
  ...(told.isSimulated
    ? ['THIS IS A REHEARSAL: the log runs on a simulated clock and says so in its name.\n']
    : []),
  files(told),
  'With the program: crawl-ledger check-evidence THIS-FOLDER --policy YOUR-POLICY\n',
  `By hand, with a POSIX shell and openssl 3. Go into this folder and enter the indented lines as they
stand. Every line that begins with OK or FALSE is a result; all must be OK.\n`,
]

const ownHead = ({ head, keys, witnesses }: Told): readonly string[] => [
  `Step 1. Whose log? The key below is what policy.txt says. Compare it with the one that you were given
by another way: somebody who changed this folder could have changed the key in it too.\n`,
  command('W=$(mktemp -d)', `sed '1,/^$/d' event.tlog-proof > "$W/checkpoint"`) +
    checkSignature(
      '"$W/checkpoint"',
      head,
      keys,
      `the log has signed a head of ${head.size} entries`,
    ),
  ...(witnesses.length === 0
    ? []
    : [
        `Who else has seen it? Each witness signs with its own clock, and signs no other history of this log.
Compare their keys in policy.txt with those that you were given by another way, as above.\n`,
        checkCosignatures('"$W/checkpoint"', head, witnesses),
      ]),
]

const earlierHead = (told: Told): readonly string[] => {
  const { before, keys, witnesses } = told
  if (before === undefined)
    return witnesses.length === 0
      ? ['There is no signed head from before this event: it is among the first of the log.\n']
      : ['There is no head from before this event that its witnesses had cosigned by then.\n']
  const { size } = before.head
  return [
    `Step 3. What had been signed before? The event is not among the first ${size} entries, so it was
recorded after that head was signed; and nothing that head covers was changed since.\n`,
    checkSignature(
      'before.checkpoint',
      before.head,
      keys,
      `the log had signed a head of ${size} entries before`,
    ) + checkCosignatures('before.checkpoint', before.head, witnesses),
    growth(told),
  ]
}

const BODY = `[ "$(cat body.salt body.bin | sha256sum | cut -c 1-64)" = "$(sed 's/.*"body":{[^}]*"commit":"\\([0-9a-f]*\\)".*/\\1/' event.json)" ]`

const body = ({ hasBody }: Told): readonly string[] =>
  hasBody
    ? [
        'Step 4. Is this the body that came? Salt and body together have the hash that the event holds.\n',
        command(verdict(BODY, 'the body is the one that was recorded')),
      ]
    : []

const OWN: ProofFiles = {
  event: 'event.json',
  proof: 'event.tlog-proof',
  what: 'the event is in the log, byte for byte',
}

const ERASURE: ProofFiles = {
  event: 'erased.json',
  proof: 'erased.tlog-proof',
  what: 'the erasure is in the log, byte for byte',
}

const COMMIT = String.raw`sed 's/.*"commit":"\([0-9a-f]*\)".*/\1/'`

const erased = ({ position, erasure, keys, witnesses }: Told): readonly string[] => {
  if (erasure === null) return []
  return [
    `Step 4. Where is the body? Withheld, erased by event ${erasure.position}. Bytes and salt are deleted, and
nobody can show or test the body any more. That event is in the log like any other, and names this one.\n`,
    command(`sed '1,/^$/d' erased.tlog-proof > "$W/checkpoint"`) +
      checkSignature(
        '"$W/checkpoint"',
        erasure.head,
        keys,
        `the log has signed a head of ${erasure.head.size} entries with the erasure`,
      ) +
      checkCosignatures('"$W/checkpoint"', erasure.head, witnesses) +
      inclusion(erasure, ERASURE) +
      command(
        verdict(
          `[ "$(${COMMIT} event.json)" = "$(${COMMIT} erased.json)" ] && grep -q '"response":${position},' erased.json`,
          'the erasure is of this body',
        ),
      ),
  ]
}

export const readmeText = (told: Told): string =>
  [
    ...opening(told),
    ...ownHead(told),
    `Step 2. Is the event in it? The hash of the event is joined with those of its neighbours, level by
level, up to the root that was signed.\n`,
    inclusion(told, OWN),
    ...earlierHead(told),
    ...body(told),
    ...erased(told),
    ...stampCommands(told.stamp, told.keys),
    command('rm -r "$W"'),
    `What this shows: the operator of the log recorded these bytes, in this place of the log, and cannot
take them back unseen by anybody who keeps a later head. What it does not show: that the clock of the
crawler was right (unless witnesses or an authority have signed, with times of their own), or that the
site sent the same to others.\n`,
  ].join('\n')
