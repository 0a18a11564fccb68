-- The key of the one lock under which positions are given out. Any number of our own: it spells
-- "crawllog". PostgreSQL puts the number in place of the call when it plans a statement.
create function ledger_lock() returns bigint language sql immutable parallel safe
  return x'637261776c6c6f67'::bigint
