create table :table (
  night     text not null,
  programme text not null,
  position  bigint not null,
  sites     bigint not null,
  robots    jsonb not null,
  ads_txt   jsonb not null,
  homepages jsonb not null,
  managers  jsonb not null,
  exchanges jsonb not null
);

create index on :table (night);
