-- The sums of plans with whole units, repairs and what deposits vary by. They are JSON, empty until they are computed:
-- every plan is computed again on the next request or snapshot.
ALTER TABLE property_plans ADD COLUMN sums text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE property_plans ADD COLUMN products text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE partner_plans ADD COLUMN sums text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE partner_plans ADD COLUMN products text COLLATE "C" NOT NULL DEFAULT '';
UPDATE property_plans SET changes = changes + 1;
DELETE FROM plan_candidates;
