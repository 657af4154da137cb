-- How properties stand among their portfolio and the book by the losses of their units, as of a snapshot.
CREATE TABLE property_standings (
  property_id TEXT PRIMARY KEY,
  partner_id TEXT NOT NULL,
  day TEXT NOT NULL,
  portfolio_others INTEGER NOT NULL,
  portfolio_lower_expected INTEGER NOT NULL,
  portfolio_lower_damage INTEGER NOT NULL,
  book_others INTEGER NOT NULL,
  book_lower_expected INTEGER NOT NULL,
  book_lower_damage INTEGER NOT NULL
) STRICT;
CREATE INDEX property_standings_day ON property_standings (partner_id, day);
ALTER TABLE snapshot_runs ADD COLUMN compared_at INTEGER;
