-- Made by scripts/dump-schema.ts from the catalogue of a new database. Not to be run.
-- roles
role crawl_ledger_projector
role crawl_ledger_writer

-- schemas
schema projection of crawl_ledger_projector
schema public

-- columns
column cosignature.size bigint not null
column cosignature.key text not null
column cosignature.time bigint not null
column cosignature.signature bytea not null
column event.position bigint not null
column event.stream text not null
column event.version integer not null
column event.type text not null
column event.ts bigint not null
column event.entry bytea not null
column event.leaf bytea not null
column head.size bigint not null
column head.note text not null
column schema_step.name text not null
column schema_step.sha256 text not null
column schema_step.applied_at timestamp with time zone not null default clock_timestamp()
column site_claim.site text not null
column site_claim.fence bigint not null
column site_claim.holder text
column site_claim.lease_until timestamp with time zone not null
column tree_hash.level smallint not null
column tree_hash.index bigint not null
column tree_hash.hash bytea not null

-- constraints
constraint cosignature.cosignature_key_check CHECK ((octet_length(key) <= 2000))
constraint cosignature.cosignature_pkey PRIMARY KEY (size, key, "time")
constraint cosignature.cosignature_signature_check CHECK ((octet_length(signature) = 64))
constraint cosignature.cosignature_size_check CHECK ((size > 0))
constraint cosignature.cosignature_time_check CHECK (("time" >= 0))
constraint event.event_entry_check CHECK ((octet_length(entry) <= 65535))
constraint event.event_leaf_check CHECK ((octet_length(leaf) = 32))
constraint event.event_pkey PRIMARY KEY ("position")
constraint event.event_position_check CHECK (("position" > 0))
constraint event.event_stream_version_key UNIQUE (stream, version)
constraint event.event_version_check CHECK ((version > 0))
constraint head.head_note_check CHECK ((octet_length(note) <= 65535))
constraint head.head_pkey PRIMARY KEY (size)
constraint head.head_size_check CHECK ((size > 0))
constraint schema_step.schema_step_pkey PRIMARY KEY (name)
constraint site_claim.site_claim_fence_check CHECK ((fence > 0))
constraint site_claim.site_claim_pkey PRIMARY KEY (site)
constraint tree_hash.tree_hash_hash_check CHECK ((octet_length(hash) = 32))
constraint tree_hash.tree_hash_index_check CHECK ((index >= 0))
constraint tree_hash.tree_hash_level_check CHECK (((level >= 1) AND (level <= 7)))
constraint tree_hash.tree_hash_pkey PRIMARY KEY (level, index)

-- indexes
CREATE UNIQUE INDEX cosignature_pkey ON public.cosignature USING btree (size, key, "time")
CREATE UNIQUE INDEX event_pkey ON public.event USING btree ("position")
CREATE UNIQUE INDEX event_stream_version_key ON public.event USING btree (stream, version)
CREATE UNIQUE INDEX head_pkey ON public.head USING btree (size)
CREATE UNIQUE INDEX schema_step_pkey ON public.schema_step USING btree (name)
CREATE UNIQUE INDEX site_claim_pkey ON public.site_claim USING btree (site)
CREATE UNIQUE INDEX tree_hash_pkey ON public.tree_hash USING btree (level, index)

-- triggers
CREATE TRIGGER cosignature_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.cosignature FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting() -- always
CREATE TRIGGER event_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.event FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting() -- always
CREATE TRIGGER head_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.head FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting() -- always
CREATE TRIGGER tree_hash_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.tree_hash FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting() -- always

-- functions
CREATE OR REPLACE FUNCTION public.append_events(flush_ts bigint, streams text[], expected integer[], guard_sites text[], guard_fences bigint[], judged integer[], appends integer[], versions integer[], types text[], entries bytea[], leaves bytea[], OUT before bigint, OUT newest_ts bigint, OUT stale integer[], OUT actual integer[], OUT lost integer[])
 RETURNS record
 LANGUAGE plpgsql
AS $function$
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
$function$
CREATE OR REPLACE FUNCTION public.ledger_lock()
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ('0110001101110010011000010111011101101100011011000110111101100111'::"bit")::bigint
CREATE OR REPLACE FUNCTION public.refuse_rewriting()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the ledger is append-only: % of % is refused', tg_op, tg_table_name
    using errcode = 'object_not_in_prerequisite_state';
end
$function$

-- privileges
grant execute on function append_events to crawl_ledger_writer
grant execute on function ledger_lock to public
grant execute on function refuse_rewriting to public
grant create, usage on schema projection to crawl_ledger_projector
grant usage on schema public to crawl_ledger_projector
grant usage on schema public to crawl_ledger_writer
grant usage on schema public to public
grant select on table cosignature to crawl_ledger_projector
grant insert, select on table cosignature to crawl_ledger_writer
grant select on table event to crawl_ledger_projector
grant insert, select on table event to crawl_ledger_writer
grant select on table head to crawl_ledger_projector
grant insert, select on table head to crawl_ledger_writer
grant insert, select, update on table site_claim to crawl_ledger_writer
grant select on table tree_hash to crawl_ledger_projector
grant insert, select on table tree_hash to crawl_ledger_writer
