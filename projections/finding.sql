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

-- The findings of a site in the order of places, as of an earlier position: those after it are passed over
-- without a look at their rows.
create index on :table (site, projection_key, projection_index, position);
create index on :table (at);
-- What concerns a site, in the order of places; most findings concern no other.
create index on :table (concerns, projection_key, projection_index) where concerns is not null;
