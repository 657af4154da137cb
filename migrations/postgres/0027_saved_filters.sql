-- Filters of lists that partners have saved under names.
CREATE TABLE saved_filters (
  partner_id text COLLATE "C" NOT NULL REFERENCES partners (id),
  name text COLLATE "C" NOT NULL,
  query text COLLATE "C" NOT NULL,
  saved_at bigint NOT NULL,
  PRIMARY KEY (partner_id, name)
);
