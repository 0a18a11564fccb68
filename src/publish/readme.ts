/**
 * README.txt of a bundle: how to check it by hand, for this very bundle. The indented lines are
 * commands for a POSIX shell; a test runs them as they stand.
 */
import type { Head } from '../ledger/tlog/head.ts'
import type { VerifierKey } from '../ledger/tlog/key.ts'
import { isBy } from '../ledger/tlog/note.ts'
import { growthSides, inclusionSides, type Side } from '../ledger/tlog/proof.ts'

export type Told = {
  readonly position: number
  /** One line: what kind of event, when. */
  readonly about: string
  readonly head: Head
  readonly proof: readonly Buffer[]
  readonly before: { readonly head: Head; readonly proof: readonly Buffer[] } | undefined
  readonly keys: readonly VerifierKey[]
  readonly hasBody: boolean
  readonly isSimulated: boolean
}

const command = (...lines: readonly string[]): string => lines.map((l) => `    ${l}\n`).join('')

const SHA256 = 'openssl dgst -sha256 -binary'
const DECODE = 'openssl base64 -d -A'
/** RFC 8410: what stands before the 32 bytes of an Ed25519 key in DER, in octal for printf. */
const DER = String.raw`\060\052\060\005\006\003\053\145\160\003\041\000`

/** One word of a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

const verdict = (test: string, what: string): string =>
  `if ${test}; then echo "OK: ${what}"; else echo "FALSE: ${what}"; fi`

/** The line of the first signature by one of the log's keys, and that key. */
const signatureIn = ({ note }: Head, keys: readonly VerifierKey[]) => {
  const lines = note.text.split('\n').length
  for (const [i, signature] of note.signatures.entries()) {
    const key = keys.find((known) => isBy(signature, known))
    if (key !== undefined) return { key, line: lines + 1 + i }
  }
  return undefined
}

const checkSignature = (
  file: string,
  head: Head,
  keys: readonly VerifierKey[],
  what: string,
): string => {
  const found = signatureIn(head, keys)
  if (found === undefined) return command(`echo "FALSE: ${what} is not signed by the log"`)
  return command(
    `KEY=${quoted(found.key.vkey)}`,
    `{ printf '${DER}'; printf '%s' "$KEY" | cut -d+ -f3- | ${DECODE} | tail -c 32; } > "$W/key"`,
    `head -n 3 ${file} > "$W/text"`,
    `sed -n '${found.line}p' ${file} | sed 's/.* //' | ${DECODE} | tail -c 64 > "$W/signature"`,
    `openssl pkey -pubin -inform DER -in "$W/key" -out "$W/key.pem"`,
    verdict(
      'openssl pkeyutl -verify -pubin -inkey "$W/key.pem" -rawin -in "$W/text" -sigfile "$W/signature" > "$W/said"',
      what,
    ),
  )
}

/** Puts together a node of the tree out of the hash in `name` and line `line` of `file`. */
const join = (name: string, file: string, line: number, side: Side): string => {
  const sibling = `sed -n '${line}p' ${file} | ${DECODE}`
  const parts = side === 'left' ? `${sibling}; cat "$W/${name}"` : `cat "$W/${name}"; ${sibling}`
  return `{ printf '\\001'; ${parts}; } | ${SHA256} > "$W/next"; mv "$W/next" "$W/${name}"`
}

const isRoot = (name: string, checkpoint: string): string =>
  `[ "$(openssl base64 -A -in "$W/${name}")" = "$(sed -n 3p ${checkpoint})" ]`

/** In the proof file the hashes begin on line 3, in the file of growth on line 2. */
const PROOF_FROM = 3
const GROWTH_FROM = 2

const inclusion = ({ position, head, proof }: Told): string => {
  const sides = inclusionSides({ index: position - 1, size: head.size }, proof.length) ?? []
  return command(
    `{ printf '\\000'; cat event.json; } | ${SHA256} > "$W/hash"`,
    ...sides.map((side, i) => join('hash', 'event.tlog-proof', PROOF_FROM + i, side)),
    verdict(isRoot('hash', '"$W/checkpoint"'), 'the event is in the log, byte for byte'),
  )
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

const files = ({ position, head, before, hasBody }: Told): string =>
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
    '  policy.txt         the keys of the log, as its operator states them\n',
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

const ownHead = ({ head, keys }: Told): readonly string[] => [
  `Step 1. Whose log? The key below is what policy.txt says. Compare it with the one that you were given
by another way: somebody who changed this folder could have changed the key in it too.\n`,
  command('W=$(mktemp -d)', `sed '1,/^$/d' event.tlog-proof > "$W/checkpoint"`) +
    checkSignature(
      '"$W/checkpoint"',
      head,
      keys,
      `the log has signed a head of ${head.size} entries`,
    ),
]

const earlierHead = (told: Told): readonly string[] => {
  const { before, keys } = told
  if (before === undefined)
    return ['There is no signed head from before this event: it is among the first of the log.\n']
  const { size } = before.head
  return [
    `Step 3. What had been signed before? The event is not among the first ${size} entries, so it was
recorded after that head was signed; and nothing that head covers was changed since.\n`,
    checkSignature(
      'before.checkpoint',
      before.head,
      keys,
      `the log had signed a head of ${size} entries before`,
    ),
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

export const readmeText = (told: Told): string =>
  [
    ...opening(told),
    ...ownHead(told),
    `Step 2. Is the event in it? The hash of the event is joined with those of its neighbours, level by
level, up to the root that was signed.\n`,
    inclusion(told),
    ...earlierHead(told),
    ...body(told),
    command('rm -r "$W"'),
    `What this shows: the operator of the log recorded these bytes, in this place of the log, and cannot
take them back unseen by anybody who keeps a later head. What it does not show: that the clock of the
crawler was right (unless witnesses have signed, with times of their own), or that the site sent the
same to others.\n`,
  ].join('\n')
