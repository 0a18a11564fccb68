/**
 * RFC 3161: what is asked of a time-stamping authority about a head, and what its reply says. Here a
 * reply is only read; whether the authority signed it, openssl checks (`src/adapters/openssl`).
 */
import * as asn1 from 'asn1js'
import { type ParseFailure, parseFailure } from '../kernel/codec.ts'
import { sha256 } from '../kernel/digest.ts'
import { E, type Either } from '../kernel/fp.ts'
import { instant, type Instant } from '../kernel/instant.ts'

const SHA256 = '2.16.840.1.101.3.4.2.1'
const SIGNED_DATA = '1.2.840.113549.1.7.2'
const TST_INFO = '1.2.840.113549.1.9.16.1.4'

/** What is stamped: the text of a head, three lines, and a number to know the reply by. */
export type Query = { readonly text: string; readonly nonce: Buffer }

/** TimeStampReq (§2.4.1) in DER; asks for the certificate, so that the reply can be checked alone. */
export const timestampQuery = ({ text, nonce }: Query): Buffer => {
  const algorithm = new asn1.Sequence({
    value: [new asn1.ObjectIdentifier({ value: SHA256 }), new asn1.Null()],
  })
  const imprint = new asn1.OctetString({ valueHex: sha256(Buffer.from(text)) })
  const query = new asn1.Sequence({
    value: [
      new asn1.Integer({ value: 1 }),
      new asn1.Sequence({ value: [algorithm, imprint] }),
      new asn1.Integer({ valueHex: nonce }),
      new asn1.Boolean({ value: true }),
    ],
  })
  return Buffer.from(query.toBER())
}

/** What a reply says: when, about which hash, and in answer to which query. */
export type Timestamp = {
  readonly time: Instant
  readonly digest: Buffer
  readonly nonce: Buffer | undefined
}

/**
 * Reads a TimeStampResp (§2.4.2) of a granted query. That its parts are where they belong is all
 * that is asked: the rest, signature and certificates, is openssl’s to judge.
 */
export const parseTimestamp = (
  where: string,
  reply: Uint8Array,
): Either<ParseFailure, Timestamp> => {
  const refused = (expected: string) => E.left(parseFailure(where, expected))
  const response = whole(reply)
  const status = partOf(response, 0, 0)
  if (!(status instanceof asn1.Integer)) return refused('a time-stamp response (RFC 3161) in DER')
  // Not `grantedWithMods` either: nothing signs this number, and we ask for nothing that needs it.
  if (status.valueBlock.valueDec !== 0)
    return refused(`a granted query, not status ${status.valueBlock.valueDec}`)
  const signed = partOf(response, 1, 1, 0)
  const content = partOf(signed, 2, 1, 0)
  const isInfo =
    isNamed(partOf(response, 1, 0), SIGNED_DATA) && isNamed(partOf(signed, 2, 0), TST_INFO)
  if (!isInfo || !(content instanceof asn1.OctetString)) return refused('a time-stamp token')
  const info = infoIn(whole(new Uint8Array(content.getValue())))
  return info === undefined ? refused('what was stamped, by SHA-256, and when') : E.right(info)
}

const infoIn = (info: Block | undefined): Timestamp | undefined => {
  const [digest, time] = [partOf(info, 2, 1), partOf(info, 4)]
  const isOfSha256 = isNamed(partOf(info, 2, 0, 0), SHA256)
  if (!isOfSha256 || !(digest instanceof asn1.OctetString)) return undefined
  if (!(time instanceof asn1.GeneralizedTime)) return undefined
  const milliseconds = time.toDate().getTime()
  if (Number.isNaN(milliseconds)) return undefined
  const nonce = partsOf(info).find((part, i) => i > 4 && part instanceof asn1.Integer)
  return {
    time: instant(milliseconds),
    digest: Buffer.from(digest.getValue()),
    nonce: nonce instanceof asn1.Integer ? Buffer.from(nonce.valueBlock.valueHexView) : undefined,
  }
}

type Block = asn1.AsnType

/** One value and nothing behind it. The library answers to most that is wrong, and throws at the rest. */
const whole = (bytes: Uint8Array): Block | undefined => {
  try {
    const { offset, result } = asn1.fromBER(bytes)
    return offset === bytes.length ? result : undefined
  } catch {
    return undefined
  }
}

const partsOf = (block: Block | undefined): readonly Block[] =>
  block instanceof asn1.Constructed ? block.valueBlock.value : []

const partOf = (block: Block | undefined, ...path: readonly number[]): Block | undefined =>
  path.reduce<Block | undefined>((part, place) => partsOf(part)[place], block)

const isNamed = (block: Block | undefined, id: string): boolean =>
  block instanceof asn1.ObjectIdentifier && block.getValue() === id
