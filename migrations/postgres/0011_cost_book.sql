-- The partners' own costs.
CREATE TABLE cost_lines (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  partner_id text COLLATE "C" NOT NULL REFERENCES partners (id),
  position bigint NOT NULL,
  type_id text COLLATE "C" NOT NULL,
  component_def_id text COLLATE "C",
  state text COLLATE "C",
  planned_cents bigint CHECK (planned_cents > 0),
  failed_cents bigint CHECK (failed_cents > 0),
  size double precision CHECK (size > 0),
  as_of text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL CHECK (source IN ('own', 'history')),
  created_at bigint NOT NULL,
  CHECK (planned_cents IS NOT NULL OR failed_cents IS NOT NULL)
);
CREATE UNIQUE INDEX cost_lines_book ON cost_lines (partner_id, position);

-- Partners whose stored sums are being recalculated, and how far that has come.
CREATE TABLE recalculations (
  partner_id text COLLATE "C" NOT NULL PRIMARY KEY REFERENCES partners (id),
  requests bigint NOT NULL,
  done_seq bigint NOT NULL,
  requested_at bigint NOT NULL
);

-- What the prices of the stored sums follow from, beside cost books.
CREATE TABLE price_basis (
  id bigint NOT NULL PRIMARY KEY CHECK (id = 1),
  basis text COLLATE "C" NOT NULL
);

-- The sums of partners that exist already follow from other prices.
INSERT INTO price_basis (id, basis) SELECT 1, '' WHERE EXISTS (SELECT 1 FROM partners);
