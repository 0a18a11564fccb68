create table :table (
  origin            text not null,
  site              text not null,
  position          bigint not null,
  read_at           timestamptz not null,
  access            text not null,
  because           text not null,
  crawl_delay_ms    bigint,
  since_position    bigint not null,
  since_at          timestamptz not null,
  previous_access   text,
  previous_position bigint,
  request           bigint,
  commit            text,
  truncated         boolean not null,
  issues            bigint not null,
  reader            text not null,
  programme         text not null,
  subject           text not null
);

create index on :table (site);
