/** README.txt on a time stamp (RFC 3161): what its files are, and how to check it by hand. */
import { formatInstant, type Instant } from '../kernel/instant.ts'
import type { VerifierKey } from '../ledger/tlog/key.ts'
import {
  checkSignature,
  command,
  DECODE,
  inclusion,
  type ProofFiles,
  type Proven,
} from './readme-commands.ts'

/** The event in a later head, of which an authority said when it was there at the latest. */
export type Stamped = Omit<Proven, 'about'> & {
  readonly authority: string
  readonly time: Instant
  /** The event that holds the authority’s reply. */
  readonly recorded: Proven
}

/** The lines of the list of files. */
export const stampFiles = (stamp: Stamped | undefined): readonly string[] =>
  stamp === undefined
    ? []
    : [
        `  stamped.tlog-proof the proof that the event is in a later signed head: ${stamp.head.size} entries`,
        `  stamp.json         event ${stamp.recorded.position}: the time stamp of an authority over that head (RFC 3161)`,
        '  stamp.tlog-proof   the proof that it is in the log',
      ]

const STAMPED: ProofFiles = {
  event: 'event.json',
  proof: 'stamped.tlog-proof',
  what: 'the event is in the stamped head, byte for byte',
}

const STAMP: ProofFiles = {
  event: 'stamp.json',
  proof: 'stamp.tlog-proof',
  what: 'the time stamp is in the log, byte for byte',
}

/** The step that checks the time stamp by hand. */
export const stampCommands = (
  stamp: Stamped | undefined,
  keys: readonly VerifierKey[],
): readonly string[] => {
  if (stamp === undefined) return []
  const { authority, head, time, recorded } = stamp
  return [
    `Step 5. When, by another clock? The authority at ${authority} says
that it saw the first three lines of a head with this event in it at ${formatInstant(time)}. Get its root
certificate from the authority itself, as a file in PEM, and enter TSA_ROOT=that-file first.\n`,
    command(`sed '1,/^$/d' stamp.tlog-proof > "$W/checkpoint"`) +
      checkSignature(
        '"$W/checkpoint"',
        recorded.head,
        keys,
        `the log has signed a head of ${recorded.head.size} entries with the time stamp`,
      ) +
      inclusion(recorded, STAMP) +
      command(`sed '1,/^$/d' stamped.tlog-proof > "$W/checkpoint"`) +
      checkSignature(
        '"$W/checkpoint"',
        head,
        keys,
        `the log has signed the stamped head of ${head.size} entries`,
      ) +
      inclusion(stamp, STAMPED) +
      command(
        'head -n 3 "$W/checkpoint" > "$W/text"',
        String.raw`sed 's/.*"reply":"\([^"]*\)".*/\1/' stamp.json | ${DECODE} > "$W/reply.tsr"`,
        `stamp() { openssl ts -verify -data "$W/text" -in "$W/reply.tsr" -CAfile "$TSA_ROOT" -attime ${Math.floor(time / 1_000)} > "$W/said" 2>&1; }`,
        `if [ -z "$TSA_ROOT" ]; then echo "NOT CHECKED: the time stamp (TSA_ROOT is not set)"; elif stamp; then echo "OK: the authority saw that head by ${formatInstant(time)}"; else echo "FALSE: the authority did not sign this time stamp"; fi`,
      ),
  ]
}
