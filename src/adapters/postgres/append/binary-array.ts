/**
 * Arrays as PostgreSQL's binary parameters. node-pg would write an array as text, and every byte of
 * an entry as two hexadecimal digits; a Buffer it passes on as it is.
 *
 * Layout (`array_recv`): dimensions, has-nulls flag, type of the items, then for the one dimension
 * its length and lower bound, then each item as its length (−1: null) and its bytes. All int32 BE.
 */
const HEADER_BYTES = 20
const LENGTH_BYTES = 4
const NULL = -1
const INT4 = 23
const INT8 = 20
const TEXT = 25
const BYTEA = 17

/** Writes one item at `at`, which is not null, and gives its length. */
type Write<A> = (array: Buffer, item: A, at: number) => number

const arrayOf = <A>(
  type: number,
  items: readonly (A | null)[],
  bytesOf: (item: A) => number,
  write: Write<A>,
): Buffer => {
  let size = HEADER_BYTES + items.length * LENGTH_BYTES
  for (const item of items) if (item !== null) size += bytesOf(item)
  const array = Buffer.allocUnsafe(size)
  array.writeInt32BE(1, 0)
  array.writeInt32BE(items.includes(null) ? 1 : 0, 4)
  array.writeInt32BE(type, 8)
  array.writeInt32BE(items.length, 12)
  array.writeInt32BE(1, 16)
  let at = HEADER_BYTES
  for (const item of items) {
    const length = item === null ? NULL : write(array, item, at + LENGTH_BYTES)
    array.writeInt32BE(length, at)
    at += LENGTH_BYTES + Math.max(0, length)
  }
  return array
}

const writeInt4: Write<number> = (array, value, at) => array.writeInt32BE(value, at) - at
const writeInt8: Write<number> = (array, value, at) => array.writeBigInt64BE(BigInt(value), at) - at
const writeText: Write<string> = (array, text, at) => array.write(text, at)
const writeBytes: Write<Buffer> = (array, bytes, at) => bytes.copy(array, at)

/** `integer[]`; throws for a number that is none of 32 bits. */
export const int4Array = (values: readonly number[]): Buffer =>
  arrayOf(INT4, values, () => 4, writeInt4)
/** `bigint[]`. */
export const int8Array = (values: readonly (number | null)[]): Buffer =>
  arrayOf(INT8, values, () => 8, writeInt8)
/** `text[]`. */
export const textArray = (values: readonly (string | null)[]): Buffer =>
  arrayOf(TEXT, values, (text) => Buffer.byteLength(text), writeText)
/** `bytea[]`. */
export const byteaArray = (values: readonly Buffer[]): Buffer =>
  arrayOf(BYTEA, values, (bytes) => bytes.length, writeBytes)
