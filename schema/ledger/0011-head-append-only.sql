create trigger head_append_only
  before update or delete or truncate on head
  for each statement execute function refuse_rewriting();
alter table head enable always trigger head_append_only
