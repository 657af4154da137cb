-- How properties stand among their portfolio and the book by the losses of their units, as of a snapshot.
CREATE TABLE property_standings (
  property_id text COLLATE "C" PRIMARY KEY,
  partner_id text COLLATE "C" NOT NULL,
  day text COLLATE "C" NOT NULL,
  portfolio_others bigint NOT NULL,
  portfolio_lower_expected bigint NOT NULL,
  portfolio_lower_damage bigint NOT NULL,
  book_others bigint NOT NULL,
  book_lower_expected bigint NOT NULL,
  book_lower_damage bigint NOT NULL
);
CREATE INDEX property_standings_day ON property_standings (partner_id, day);
ALTER TABLE snapshot_runs ADD COLUMN compared_at bigint;
