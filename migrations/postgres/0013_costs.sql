-- What costs depend on.
ALTER TABLE appliances ADD COLUMN size double precision CHECK (size > 0);
ALTER TABLE properties
  ADD COLUMN gross_area_sqft double precision CHECK (gross_area_sqft > 0),
  ADD COLUMN stories bigint CHECK (stories > 0),
  ADD COLUMN unit_label text COLLATE "C",
  ADD COLUMN replacement_value_cents bigint CHECK (replacement_value_cents > 0);
-- A digest of the partner's cost book; null without one.
ALTER TABLE partners ADD COLUMN cost_book text COLLATE "C";
