/**
 * Arrays as PostgreSQL's binary parameters. node-pg would write an array as text, and every byte of
 * an entry as two hexadecimal digits; a Buffer it passes on as it is.
 *
 * Layout (`array_recv`): dimensions, has-nulls flag, type of the items, then for the one dimension
 * its length and lower bound, then each item as its length (−1: null) and its bytes. All int32 BE.
 */
const HEADER_BYTES = 20
const INT4 = 23
const INT8 = 20
const TEXT = 25
const BYTEA = 17

const arrayOf = (type: number, items: readonly (Buffer | null)[]): Buffer => {
  const size = items.reduce((sum, item) => sum + 4 + (item?.length ?? 0), HEADER_BYTES)
  const array = Buffer.allocUnsafe(size)
  array.writeInt32BE(1, 0)
  array.writeInt32BE(items.includes(null) ? 1 : 0, 4)
  array.writeInt32BE(type, 8)
  array.writeInt32BE(items.length, 12)
  array.writeInt32BE(1, 16)
  let at = HEADER_BYTES
  for (const item of items) {
    at = array.writeInt32BE(item?.length ?? -1, at)
    if (item !== null) at += item.copy(array, at)
  }
  return array
}

const int4 = (value: number): Buffer => {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeInt32BE(value)
  return bytes
}

const int8 = (value: number | null): Buffer | null => {
  if (value === null) return null
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeBigInt64BE(BigInt(value))
  return bytes
}

/** `integer[]`; throws for a number that is none of 32 bits. */
export const int4Array = (values: readonly number[]): Buffer => arrayOf(INT4, values.map(int4))
/** `bigint[]`. */
export const int8Array = (values: readonly (number | null)[]): Buffer =>
  arrayOf(INT8, values.map(int8))
/** `text[]`. */
export const textArray = (values: readonly (string | null)[]): Buffer =>
  arrayOf(
    TEXT,
    values.map((value) => (value === null ? null : Buffer.from(value))),
  )
/** `bytea[]`. */
export const byteaArray = (values: readonly Buffer[]): Buffer => arrayOf(BYTEA, values)
