-- What witnesses signed of heads (C2SP tlog-cosignature, Ed25519), each with the time it says, in
-- seconds since 1970. `key` is the vkey. One witness may sign one size again and again: how fresh a
-- head is, is what the newest time says. No reference to `head`: a head that was taken away shall be
-- missed.
create table cosignature (
  size bigint not null check (size > 0),
  key text not null check (octet_length(key) <= 2000),
  time bigint not null check (time >= 0),
  signature bytea not null check (octet_length(signature) = 64),
  primary key (size, key, time)
)
