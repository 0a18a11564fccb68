create table :table (
  request          bigint not null,
  position         bigint not null,
  run              text,
  n                bigint not null,
  programme        text not null,
  site             text not null,
  subject          text not null,
  url              text not null,
  target           text not null,
  purpose          text not null,
  night            text not null,
  attempt          integer,
  hop              integer not null,
  via              bigint,
  decision         bigint,
  sent_at          timestamptz,
  closed_position  bigint,
  closed_at        timestamptz,
  outcome          text not null,
  status           integer,
  bytes            bigint,
  commit           text,
  reason           text,
  redirect_verdict text,
  redirect_reason  text,
  redirect_to      text,
  next_allowed_at  timestamptz
);

-- The site owner's question: who asked this address at this time (RC26)? The hash of the address, because an
-- address may be longer than an entry of a btree.
create index on :table (hashtextextended(url, 0), sent_at);
-- The requests of a site in the order of keys, as of an earlier position.
create index on :table (site, projection_key);
