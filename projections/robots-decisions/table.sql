create table :table (
  origin         text not null,
  site           text not null,
  programme      text not null,
  decision       text not null,
  because        text not null,
  crawl_delay_ms bigint,
  access         text not null,
  position       bigint not null,
  read_at        timestamptz not null,
  request        bigint,
  commit         text,
  reader         text
);

create index on :table (site);
