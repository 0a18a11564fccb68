/** The tables of projections in the schema `projection`, and the statements that make and move them. */
import type { Standing } from '../../../../projections/port.ts'
import type { Projection } from '../../../../projections/projection.ts'
import { assert } from '../../../kernel/assert.ts'

/**
 * Registry, parts of shadows, and readings. `generation` names one hold on a table. A reading is kept once
 * however many captures give it: most files do not change from night to night.
 */
export const FURNITURE = `
create sequence if not exists projection.generation;
create table if not exists projection.registry (
  name       text not null,
  place      text not null check (place in ('live', 'shadow')),
  generation bigint not null unique,
  version    integer not null,
  reader     text,
  checkpoint bigint not null,
  rows       bigint not null,
  built_at   timestamptz,
  primary key (name, place)
);
create table if not exists projection.part (
  generation bigint not null references projection.registry (generation)
    on update cascade on delete cascade,
  part       integer not null,
  of         integer not null,
  checkpoint bigint not null,
  primary key (generation, part)
);
create table if not exists projection.reading (
  reader    text not null,
  concluded bigint not null,
  digest    bytea not null,
  primary key (reader, concluded)
);
create table if not exists projection.reading_text (
  digest  bytea primary key,
  reading text not null
);
create table if not exists projection.layout (number integer primary key);
-- Tables of an earlier layout are built anew by the next catching up, with the reader in force.
with made as (insert into projection.layout values (2) on conflict do nothing returning number)
update projection.registry set version = 0 where exists (select from made);`

/** Whether all of the furniture stands: `part` came last, beside tables that stayed as they were. */
export const FURNISHED = `
select to_regclass('projection.layout') is not null and to_regclass('projection.part') is not null as here`

/** Any fixed number: programs that set the furniture up take turns. */
export const FURNITURE_LOCK = 7_234_019_283_402

type Place = Standing['place']

/**
 * `request-log`: `projection.request_log`, `…__states` and `…__snapshots`, with `__shadow` while being
 * rebuilt.
 */
export type TableNames = {
  readonly rows: string
  readonly states: string
  readonly snapshots: string
}

const baseOf = (name: string): string => {
  assert(/^[a-z][a-z0-9-]{0,39}$/.test(name), `not a name for a projection: ${name}`)
  return name.replaceAll('-', '_')
}

const suffix = (place: Place): string => (place === 'live' ? '' : '__shadow')

export const tableNames = (name: string, place: Place): TableNames => {
  const rows = `projection.${baseOf(name)}${suffix(place)}`
  return { rows, states: `${rows}__states`, snapshots: `${rows}__snapshots` }
}

/** The runner's own columns, before the projection's. */
export const KEY_COLUMN = 'projection_key'
export const INDEX_COLUMN = 'projection_index'

export const column = (name: string): string => {
  assert(/^[a-z][a-z0-9_]{0,59}$/.test(name), `not a name for a column: ${name}`)
  return `"${name}"`
}

/** The statements of a `table.sql`: the table first, then its indexes. */
const statementsOf = (projection: Projection, table: string): readonly string[] =>
  projection.table.sql
    .replaceAll(/--.*$/gm, '')
    .replaceAll(':table', table)
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')

export const dropTables = (name: string, place: Place): string => {
  const { rows, states, snapshots } = tableNames(name, place)
  return `drop table if exists ${rows}, ${states}, ${snapshots}`
}

/** Empty tables; the projection's own indexes come when the rows are in. */
export const createTables = (projection: Projection, place: Place): string => {
  const { rows, states, snapshots } = tableNames(projection.name, place)
  const [create] = statementsOf(projection, rows)
  assert(create !== undefined, `${projection.name}: table.sql is empty`)
  return `
    ${create};
    alter table ${rows}
      add column ${KEY_COLUMN} text collate "C" not null,
      add column ${INDEX_COLUMN} integer not null,
      add primary key (${KEY_COLUMN}, ${INDEX_COLUMN});
    create table ${states} (
      key     text collate "C" primary key,
      state   text not null,
      since   bigint not null,
      touched bigint[] not null);
    create table ${snapshots} (
      key      text collate "C",
      position bigint,
      since    bigint not null,
      touched  bigint[] not null,
      state    text not null,
      state_digest text not null,
      digest   text not null,
      primary key (key, position))`
}

/** What the shadow needs before it can serve readers. */
export const finishShadow = (projection: Projection): string => {
  const { rows } = tableNames(projection.name, 'shadow')
  const [, ...indexes] = statementsOf(projection, rows)
  return [...indexes, 'set local default_statistics_target = 10', `analyze ${rows}`].join(';\n')
}

export const replaceLive = (name: string): string => {
  const shadow = tableNames(name, 'shadow')
  return `
    ${dropTables(name, 'live')};
    alter table ${shadow.rows} rename to ${baseOf(name)};
    alter table ${shadow.states} rename to ${baseOf(name)}__states;
    alter table ${shadow.snapshots} rename to ${baseOf(name)}__snapshots`
}
