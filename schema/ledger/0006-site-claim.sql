-- Who may have a request open to a site. `holder` is null after a release. `fence` grows with
-- every claim and never goes back; an append that names an older one is refused.
create table site_claim (
  site text primary key,
  fence bigint not null check (fence > 0),
  holder text,
  lease_until timestamptz not null
)
