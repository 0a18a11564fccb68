-- Every head that was signed, as the note that outsiders verify (C2SP tlog-checkpoint). One head a
-- size: a second one of the same size would be a fork. `size` repeats what the note says.
create table head (
  size bigint primary key check (size > 0),
  note text not null check (octet_length(note) <= 65535)
)
