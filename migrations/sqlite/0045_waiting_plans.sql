-- Properties are listed by the cost of delay of what is due, the highest first, and last those with nothing due; null leaves a
-- retired property out.
ALTER TABLE property_plans ADD COLUMN waiting_cents INTEGER DEFAULT -9007199254740991;
UPDATE property_plans SET waiting_cents =
  CASE WHEN coalesce(json_extract(sums, '$.due.cents'), 0) = 0 THEN -9007199254740991
  ELSE coalesce(json_extract(sums, '$.due.waitingCents'), 0) END WHERE sums <> '';
UPDATE property_plans SET waiting_cents = NULL WHERE property_id IN (SELECT id FROM properties WHERE seq < 0);
CREATE INDEX property_plans_waiting ON property_plans (partner_id, waiting_cents DESC, property_id);
