-- What the sums of a plan rest on, as JSON; empty until it is counted.
ALTER TABLE property_plans ADD COLUMN counted text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE partner_plans ADD COLUMN counted text COLLATE "C" NOT NULL DEFAULT '';
-- Every plan is computed again on the next request or snapshot.
UPDATE property_plans SET changes = changes + 1;
