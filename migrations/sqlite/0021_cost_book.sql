-- The partners' own costs.
CREATE TABLE cost_lines (
  id TEXT NOT NULL PRIMARY KEY,
  partner_id TEXT NOT NULL REFERENCES partners (id),
  position INTEGER NOT NULL,
  type_id TEXT NOT NULL,
  component_def_id TEXT,
  state TEXT,
  planned_cents INTEGER CHECK (planned_cents > 0),
  failed_cents INTEGER CHECK (failed_cents > 0),
  size REAL CHECK (size > 0),
  as_of TEXT NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('own', 'history')),
  created_at INTEGER NOT NULL,
  CHECK (planned_cents IS NOT NULL OR failed_cents IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX cost_lines_book ON cost_lines (partner_id, position);

-- Partners whose stored sums are being recalculated, and how far that has come.
CREATE TABLE recalculations (
  partner_id TEXT NOT NULL PRIMARY KEY REFERENCES partners (id),
  requests INTEGER NOT NULL,
  done_seq INTEGER NOT NULL,
  requested_at INTEGER NOT NULL
) STRICT;

-- What the prices of the stored sums follow from, beside cost books.
CREATE TABLE price_basis (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  basis TEXT NOT NULL
) STRICT;

-- The sums of partners that exist already follow from other prices.
INSERT INTO price_basis (id, basis) SELECT 1, '' WHERE EXISTS (SELECT 1 FROM partners);
