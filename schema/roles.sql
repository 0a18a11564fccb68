-- The two roles everything but the set-up works as. Run by the set-up whenever this text changed;
-- it must stay safe to run again. Where the user of the database may not create roles, an
-- administrator runs the two statements that the set-up prints, once a server.
do $$
declare
  name text;
  -- From 16 on a user who creates a role is a member of it who may not yet act as it.
  acting constant text :=
    case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end;
begin
  foreach name in array array['crawl_ledger_writer', 'crawl_ledger_projector'] loop
    if not exists (select from pg_roles where rolname = name) then
      begin
        execute format('create role %I nologin', name);
      exception
        -- Roles belong to the server: another database may be set up at the same moment.
        when duplicate_object or unique_violation then null;
      end;
    end if;
    if not pg_has_role(current_user, name, acting) then
      execute format('grant %I to current_user', name);
    end if;
  end loop;
end
$$;

revoke all on event, site_claim, tree_hash, head, cosignature from public, crawl_ledger_writer, crawl_ledger_projector;
revoke all on function append_events from public;
revoke create on schema public from public, crawl_ledger_writer, crawl_ledger_projector;
grant usage on schema public to crawl_ledger_writer, crawl_ledger_projector;

-- Nobody may update or delete an event, a hash of the tree, a signed head or a cosignature.
grant select, insert on event, tree_hash, head, cosignature to crawl_ledger_writer;
grant execute on function append_events to crawl_ledger_writer;
grant select, insert, update on site_claim to crawl_ledger_writer;

-- Projections are disposable: their role may do as it likes in a schema of its own, and only read
-- the ledger.
grant select on event, tree_hash, head, cosignature to crawl_ledger_projector;
create schema if not exists projection authorization crawl_ledger_projector;
