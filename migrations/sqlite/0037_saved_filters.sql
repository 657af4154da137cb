-- Filters of lists that partners have saved under names.
CREATE TABLE saved_filters (
  partner_id TEXT NOT NULL REFERENCES partners (id),
  name TEXT NOT NULL,
  query TEXT NOT NULL,
  saved_at INTEGER NOT NULL,
  PRIMARY KEY (partner_id, name)
) STRICT;
