create table :table (
  kind            text not null,
  site            text not null,
  position        bigint not null,
  night           text not null,
  at              timestamptz not null,
  about           text not null,
  concerns        text,
  says            text not null,
  change          text not null,
  method          text not null,
  programme       text not null,
  request         bigint,
  commit          text,
  before_position bigint not null,
  before_at       timestamptz not null,
  before_request  bigint,
  before_commit   text
);

create index on :table (site);
create index on :table (at);
