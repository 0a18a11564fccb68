-- Per statement, so that even a rewriting that would touch no row is refused.
create trigger event_append_only
  before update or delete or truncate on event
  for each statement execute function refuse_rewriting()
