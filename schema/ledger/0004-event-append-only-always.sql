-- An ordinary trigger sleeps in a session that says it replays a replica; this one never does.
alter table event enable always trigger event_append_only
