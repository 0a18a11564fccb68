-- One flush: the appends of many callers, each judged by itself, and those that stand written with
-- gap-free positions. An append without a guard need not be judged if the version it builds on is
-- known to stand: should the next version be taken, the stream's key refuses the whole flush, and the
-- caller comes again with all of them to be judged.
-- The lock makes the order of commits the order of positions. It is taken
-- first, and every later statement sees all that was committed until then, as READ COMMITTED
-- promises; under any other isolation the function refuses to work.
--
-- The entries carry the time of the flush. If the newest event is later, nothing is written and
-- `newest_ts` says so: the caller encodes again.
--
-- Gives the position before the flush and the numbers of the appends that were refused: `stale`
-- ones, whose stream is not at the version expected, with the versions it is at in `actual`, and
-- `lost` ones, whose claim is not held any more. null: none.
create function append_events(
  flush_ts bigint,
  -- one item an append; no two of one stream
  streams text[],
  expected integer[],
  guard_sites text[],
  guard_fences bigint[],
  -- numbers of the appends to be judged, from 1
  judged integer[],
  -- one item an event, append after append; `appends` is the number of its append
  appends integer[],
  versions integer[],
  types text[],
  entries bytea[],
  leaves bytea[],
  out before bigint,
  out newest_ts bigint,
  out stale integer[],
  out actual integer[],
  out lost integer[]
) language plpgsql as $$
declare
  refused integer[];
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'append_events needs READ COMMITTED' using errcode = 'invalid_transaction_state';
  end if;
  perform pg_advisory_xact_lock(ledger_lock());
  select e.position, e.ts into before, newest_ts from event e order by e.position desc limit 1;
  before := coalesce(before, 0);
  newest_ts := coalesce(newest_ts, flush_ts);
  if newest_ts > flush_ts then
    return;
  end if;

  -- From the version expected on there is that one and no other; in a new stream there is none.
  -- A claim is locked until the commit: nobody takes the site over in between.
  select array_agg(j.n) filter (where j.stale), array_agg(j.n) filter (where not j.held)
  into stale, lost
  from (
    select a.n,
      expected[a.n] <> coalesce((
        select e.version from event e
        where e.stream = streams[a.n] and e.version >= expected[a.n]
        order by e.version desc limit 1
      ), 0) as stale,
      guard_sites[a.n] is null or exists (
        select from site_claim c
        where c.site = guard_sites[a.n] and c.fence = guard_fences[a.n] and c.holder is not null
        for share
      ) as held
    from unnest(judged) as a(n)
  ) j
  where j.stale or not j.held;
  refused := coalesce(stale, '{}') || coalesce(lost, '{}');

  insert into event (position, stream, version, type, ts, entry, leaf)
  select before + row_number() over (order by n),
    streams[appends[n]], versions[n], types[n], flush_ts, entries[n], leaves[n]
  from generate_series(1, cardinality(entries)) as n
  where appends[n] <> all (refused);

  if stale is not null then
    actual := array(
      select coalesce((
        select e.version from event e
        where e.stream = streams[s.append]
        order by e.version desc limit 1
      ), 0)
      from unnest(stale) with ordinality as s(append, n)
      order by s.n
    );
  end if;
end
$$
