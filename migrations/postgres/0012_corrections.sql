-- Regimes that an event names (JSON), and those that its note names.
ALTER TABLE service_events ADD COLUMN inspection_types text COLLATE "C";
ALTER TABLE service_events ADD COLUMN noted_inspections text COLLATE "C";
-- A voided event stays on record and counts nowhere.
ALTER TABLE service_events ADD COLUMN voided_at bigint;
ALTER TABLE service_events ADD COLUMN void_reason text COLLATE "C";

ALTER TABLE claims ADD COLUMN paid_cents bigint;
ALTER TABLE claims ADD COLUMN outstanding_cents bigint;
ALTER TABLE claims ADD COLUMN deductible_cents bigint;
ALTER TABLE claims ADD COLUMN alae_cents bigint;
ALTER TABLE claims ADD COLUMN catastrophe_code text COLLATE "C";
ALTER TABLE claims ADD COLUMN reported_on text COLLATE "C";
ALTER TABLE claims ADD COLUMN closed_on text COLLATE "C";
ALTER TABLE claims ADD COLUMN valued_at text COLLATE "C";
CREATE INDEX claims_number ON claims (property_id, claim_number, id) WHERE claim_number IS NOT NULL;

-- The owner's costs of one component, and what an inspector found out about its past.
ALTER TABLE components ADD COLUMN own_planned_cents bigint;
ALTER TABLE components ADD COLUMN own_failed_cents bigint;
ALTER TABLE components ADD COLUMN past text COLLATE "C";
