create table :table (
  site             text not null,
  state            text not null,
  position         bigint not null,
  seen_at          timestamptz not null,
  since_position   bigint,
  since_at         timestamptz,
  request          bigint,
  url              text not null,
  status           integer,
  faults           bigint not null,
  fault_list       jsonb not null,
  hint             jsonb,
  good_state       text,
  good_position    bigint,
  good_request     bigint,
  good_at          timestamptz,
  good_url         text,
  commit           text,
  reader           text,
  records          bigint,
  variables        bigint,
  changed_position bigint,
  changed_at       timestamptz,
  reading          jsonb
);

create index on :table (site);
create index on :table (state);
