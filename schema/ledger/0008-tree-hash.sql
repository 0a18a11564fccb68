-- The upper part of the tree: the hash of every complete run of 256^level leaves. The leaves
-- themselves are level 0 and stand with their events. Written with the head that first covers them.
create table tree_hash (
  level smallint check (level between 1 and 7),
  index bigint check (index >= 0),
  hash bytea not null check (octet_length(hash) = 32),
  primary key (level, index)
)
