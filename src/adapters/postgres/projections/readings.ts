/** Readings made before, each text once however many captures give it. */
import type { Pool } from 'pg'
import type { KnownReadings } from '../../../../projections/port.ts'
import { sha256 } from '../../../kernel/digest.ts'

type ReadingRow = { readonly concluded: number; readonly reading: string | null }

/**
 * Sums the sizes up in order and stops behind the reading that reaches `bytesMax`. The row after the
 * last that is given has no text: it only says how far the answer goes.
 */
const LOAD = `
  select k.concluded, case when k.before < $3 then t.reading end as reading
  from (
    select r.concluded, r.digest,
      coalesce(sum(octet_length(t.reading)) over (
        order by r.concluded rows between unbounded preceding and 1 preceding), 0) as before
    from projection.reading r join projection.reading_text t using (digest)
    where r.reader = $1 and r.concluded = any($2)
  ) k join projection.reading_text t using (digest)
  order by k.concluded`

export const loadReadings = async (
  pool: Pool,
  reader: string,
  concluded: readonly number[],
  bytesMax: number,
): Promise<KnownReadings> => {
  const { rows } = await pool.query<ReadingRow>(LOAD, [reader, concluded, bytesMax])
  const readings = new Map<number, string>()
  for (const { concluded: at, reading } of rows) {
    if (reading === null) return { through: at - 1, readings }
    readings.set(at, reading)
  }
  return { through: concluded.at(-1) ?? 0, readings }
}

export const saveReadings = async (
  pool: Pool,
  reader: string,
  readings: ReadonlyMap<number, string>,
): Promise<void> => {
  const made = [...readings].map(([concluded, reading]) => ({
    concluded,
    reading,
    digest: sha256(Buffer.from(reading)).toString('hex'),
  }))
  // In one order everywhere, so that two runners who save the same texts do not lock each other out.
  const texts = [...new Map(made.map((one) => [one.digest, one])).values()].sort((a, b) =>
    a.digest < b.digest ? -1 : 1,
  )
  await pool.query(
    `with text as (
      insert into projection.reading_text (digest, reading)
      select decode(digest, 'hex'), reading
      from json_to_recordset($2::json) as entry (digest text, reading text)
      on conflict do nothing)
    insert into projection.reading (reader, concluded, digest)
    select $1, concluded, decode(digest, 'hex')
    from json_to_recordset($3::json) as entry (concluded bigint, digest text)
    on conflict do nothing`,
    [
      reader,
      JSON.stringify(texts.map(({ digest, reading }) => ({ digest, reading }))),
      JSON.stringify(made.map(({ concluded, digest }) => ({ concluded, digest }))),
    ],
  )
}
