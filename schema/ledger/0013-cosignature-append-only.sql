create trigger cosignature_append_only
  before update or delete or truncate on cosignature
  for each statement execute function refuse_rewriting();
alter table cosignature enable always trigger cosignature_append_only
