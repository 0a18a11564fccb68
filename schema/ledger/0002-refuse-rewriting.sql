create function refuse_rewriting() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only: % of % is refused', tg_op, tg_table_name
    using errcode = 'object_not_in_prerequisite_state';
end
$$
