-- The day from which a property or an appliance is retired, and why. The rows of one in effect have a negative seq.
ALTER TABLE properties ADD COLUMN retired_at TEXT;
ALTER TABLE properties ADD COLUMN retired_reason TEXT;
CREATE INDEX properties_retiring ON properties (retired_at) WHERE retired_at IS NOT NULL AND seq > 0;
ALTER TABLE appliances ADD COLUMN retired_at TEXT;
ALTER TABLE appliances ADD COLUMN retired_reason TEXT;
CREATE INDEX appliances_retiring ON appliances (retired_at) WHERE retired_at IS NOT NULL AND seq > 0;
ALTER TABLE partner_totals ADD COLUMN retired_properties INTEGER NOT NULL DEFAULT 0;
ALTER TABLE partner_totals ADD COLUMN retired_appliances INTEGER NOT NULL DEFAULT 0;
ALTER TABLE partner_totals ADD COLUMN retired_components INTEGER NOT NULL DEFAULT 0;
