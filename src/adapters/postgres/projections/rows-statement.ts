/** The one statement that reads a page of rows of a live table, with the standing of the table before each. */
import { parsePlace } from '../../../../projections/place.ts'
import type { Nearest, RowsQuery } from '../../../../projections/port.ts'
import type { Projection } from '../../../../projections/projection.ts'
import { assert } from '../../../kernel/assert.ts'
import { formatInstant, instant } from '../../../kernel/instant.ts'
import { column, INDEX_COLUMN, KEY_COLUMN, tableNames } from './tables.ts'

type Statement = { readonly text: string; readonly values: unknown[] }

export const rowsStatement = (projection: Projection, query: RowsQuery): Statement => {
  const building = begun(projection)
  const limit = building.place(query.limit + 1)
  const conditions = conditionsOf(building, query)
  const { nearest } = query
  const found =
    nearest === undefined
      ? select(building, { conditions, order: `${KEYS} limit ${limit}` })
      : nearestOf(building, nearest, { conditions, limit })
  const order = nearest === undefined ? KEYS : distance(building, nearest)
  const text = `
    select r.version, r.reader, r.generation, r.checkpoint, t.*
    from projection.registry r left join lateral (${found}) t on true
    where r.name = $1 and r.place = 'live' and r.version = $2
    order by ${order}`
  return { text, values: building.values }
}

type Building = {
  readonly projection: Projection
  readonly values: unknown[]
  /** Hands a value over; gives its place in the text. */
  readonly place: (value: unknown) => string
  readonly known: (name: string) => string
}

const begun = (projection: Projection): Building => {
  const values: unknown[] = [projection.name, projection.version]
  return {
    projection,
    values,
    place: (value) => `$${values.push(value)}`,
    known: (name) => {
      assert(projection.table.columns.includes(name), `${projection.name} has no column ${name}`)
      return column(name)
    },
  }
}

const KEYS = `${KEY_COLUMN}, ${INDEX_COLUMN}`

const conditionsOf = (
  { known, place }: Building,
  { where = {}, between, after }: RowsQuery,
): readonly string[] => {
  const conditions = Object.entries(where).map(
    ([name, value]) => `${known(name)} = ${place(value)}`,
  )
  if (between !== undefined) {
    const { from, to } = between
    conditions.push(`${known(between.column)} between ${place(from)} and ${place(to)}`)
  }
  if (after !== undefined) {
    const { key, index } = parsePlace(after)
    conditions.push(`(${KEYS}) > (${place(key)}, ${place(index)})`)
  }
  return conditions
}

type Select = { readonly conditions: readonly string[]; readonly order: string }

const select = ({ projection }: Building, { conditions, order }: Select): string => {
  const columns = [KEY_COLUMN, INDEX_COLUMN, ...projection.table.columns].map(column).join(', ')
  const filter = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
  return `select ${columns} from ${tableNames(projection.name, 'live').rows} ${filter} order by ${order}`
}

type Sides = { readonly conditions: readonly string[]; readonly limit: string }

/**
 * Along the index both ways from the time, as far as the limit allows, and then the nearest of both. Hash and
 * time are compared as pairs and without an equality, so that the server walks the index in its order
 * instead of sorting whatever the window holds. The hash, because a text may be longer than an entry of a btree.
 */
const nearestOf = (building: Building, near: Nearest, { conditions, limit }: Sides): string => {
  const { known, place } = building
  const text = known(near.textIn)
  const value = `${place(near.text)}::text`
  const [key, hash] = [text, value].map((one) => `hashtextextended(${one}, 0)`)
  const time = known(near.timeIn)
  const at = (ms: number): string => `(${hash}, ${place(formatInstant(instant(ms)))})`
  const [from, to, until] = [near.to - near.withinMs, near.to, near.to + near.withinMs].map(at)
  const pair = `(${key}, ${time})`
  const sides = [
    { within: `${pair} >= ${from} and ${pair} < ${to}`, order: `${key} desc, ${time} desc` },
    { within: `${pair} >= ${to} and ${pair} <= ${until}`, order: `${key}, ${time}` },
  ].map(({ within, order }) => {
    const all = [...conditions, `${text} = ${value}`, within]
    return `(${select(building, { conditions: all, order: `${order}, ${KEYS} limit ${limit}` })})`
  })
  return `select * from (${sides.join(' union all ')}) n order by ${distance(building, near)} limit ${limit}`
}

const distance = ({ known, place }: Building, { timeIn, to }: Nearest): string => {
  const time = `${place(formatInstant(to))}::timestamptz`
  return `abs(extract(epoch from ${known(timeIn)} - ${time})), ${KEYS}`
}
