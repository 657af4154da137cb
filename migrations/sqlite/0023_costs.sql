-- What costs depend on.
ALTER TABLE appliances ADD COLUMN size REAL CHECK (size > 0);
ALTER TABLE properties ADD COLUMN gross_area_sqft REAL CHECK (gross_area_sqft > 0);
ALTER TABLE properties ADD COLUMN stories INTEGER CHECK (stories > 0);
ALTER TABLE properties ADD COLUMN unit_label TEXT;
ALTER TABLE properties ADD COLUMN replacement_value_cents INTEGER CHECK (replacement_value_cents > 0);
-- A digest of the partner's cost book; null without one.
ALTER TABLE partners ADD COLUMN cost_book TEXT;
