-- Known hazards: flags that follow from an appliance's make, notes and years, and codes that the partner set or cleared.
ALTER TABLE appliances ADD COLUMN flags text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE appliances ADD COLUMN flags_set text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE appliances ADD COLUMN flags_cleared text COLLATE "C" NOT NULL DEFAULT '';
-- The known hazards that the note names. Notes are read again by the next scoring, which knows the new rules.
ALTER TABLE service_events ADD COLUMN hazards text COLLATE "C";
-- Appliances by flag, for each property, and under the empty property for the partner's portfolio.
CREATE TABLE flag_counts (
  partner_id text COLLATE "C" NOT NULL,
  property_id text COLLATE "C" NOT NULL,
  code text COLLATE "C" NOT NULL,
  known bigint NOT NULL DEFAULT 0,
  suspected bigint NOT NULL DEFAULT 0,
  properties bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (partner_id, property_id, code)
);
