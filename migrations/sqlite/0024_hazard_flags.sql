-- Known hazards: flags that follow from an appliance's make, notes and years, and codes that the partner set or cleared.
ALTER TABLE appliances ADD COLUMN flags TEXT NOT NULL DEFAULT '';
ALTER TABLE appliances ADD COLUMN flags_set TEXT NOT NULL DEFAULT '';
ALTER TABLE appliances ADD COLUMN flags_cleared TEXT NOT NULL DEFAULT '';
-- The known hazards that the note names. Notes are read again by the next scoring, which knows the new rules.
ALTER TABLE service_events ADD COLUMN hazards TEXT;
-- Appliances by flag, for each property, and under the empty property for the partner's portfolio.
CREATE TABLE flag_counts (
  partner_id TEXT NOT NULL,
  property_id TEXT NOT NULL,
  code TEXT NOT NULL,
  known INTEGER NOT NULL DEFAULT 0,
  suspected INTEGER NOT NULL DEFAULT 0,
  properties INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (partner_id, property_id, code)
) STRICT;
