create table :table (
  programme      text not null,
  site           text not null,
  position       bigint not null,
  namings        bigint not null,
  named_by       jsonb not null,
  reader         text not null,
  first_position bigint not null,
  first_at       timestamptz not null,
  last_at        timestamptz not null
);

create index on :table (site);
