create trigger tree_hash_append_only
  before update or delete or truncate on tree_hash
  for each statement execute function refuse_rewriting();
alter table tree_hash enable always trigger tree_hash_append_only
