-- The day from which a property or an appliance is retired, and why. The rows of one in effect have a negative seq.
ALTER TABLE properties ADD COLUMN retired_at text COLLATE "C";
ALTER TABLE properties ADD COLUMN retired_reason text COLLATE "C";
CREATE INDEX properties_retiring ON properties (retired_at) WHERE retired_at IS NOT NULL AND seq > 0;
ALTER TABLE appliances ADD COLUMN retired_at text COLLATE "C";
ALTER TABLE appliances ADD COLUMN retired_reason text COLLATE "C";
CREATE INDEX appliances_retiring ON appliances (retired_at) WHERE retired_at IS NOT NULL AND seq > 0;
ALTER TABLE partner_totals ADD COLUMN retired_properties bigint NOT NULL DEFAULT 0;
ALTER TABLE partner_totals ADD COLUMN retired_appliances bigint NOT NULL DEFAULT 0;
ALTER TABLE partner_totals ADD COLUMN retired_components bigint NOT NULL DEFAULT 0;
