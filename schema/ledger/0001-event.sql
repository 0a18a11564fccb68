-- The ledger. `entry` is the exact canonical JSON of one event with its envelope and the only
-- truth; stream, version, type and ts repeat parts of it so that rows can be found, and every
-- reader compares them. `ts` is in milliseconds since 1970 (UTC). `leaf` is the RFC 6962 leaf hash.
-- A type is found by reading along the positions: an index on it costs every append and saves a
-- reader little (docs/decisions/0003).
create table event (
  position bigint primary key check (position > 0),
  stream text not null,
  version integer not null check (version > 0),
  type text not null,
  ts bigint not null,
  entry bytea not null check (octet_length(entry) <= 65535),
  leaf bytea not null check (octet_length(leaf) = 32),
  constraint event_stream_version_key unique (stream, version)
)
