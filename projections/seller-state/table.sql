create table :table (
  target         text not null,
  site           text not null,
  source         text,
  position       bigint not null,
  state          text not null,
  since_position bigint,
  since_at       timestamptz,
  seen_at        timestamptz,
  request        bigint,
  url            text,
  status         integer,
  fault_list     jsonb not null,
  good_position  bigint,
  good_request   bigint,
  good_at        timestamptz,
  commit         text,
  reader         text,
  sellers        bigint,
  publishers     bigint,
  intermediaries bigint,
  both_types     bigint,
  confidential   bigint,
  with_domain    bigint
);

create index on :table (site);
