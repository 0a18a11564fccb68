create table :table (
  site              text not null,
  position          bigint not null,
  next_allowed_at   timestamptz,
  next_position     bigint,
  floor_ms          bigint,
  crawl_delay_ms    bigint,
  retry_after_ms    bigint,
  cooldown_until    timestamptz,
  cooldown_because  text,
  cooldown_position bigint,
  open_request      bigint,
  excluded          boolean not null,
  excluded_by       text,
  excluded_at       timestamptz,
  excluded_position bigint,
  stopped           jsonb not null,
  withheld_reason   text,
  withheld_until    timestamptz,
  withheld_at       timestamptz,
  withheld_position bigint
);

create index on :table (site);
