-- Regimes that an event names (JSON), and those that its note names.
ALTER TABLE service_events ADD COLUMN inspection_types TEXT;
ALTER TABLE service_events ADD COLUMN noted_inspections TEXT;
-- A voided event stays on record and counts nowhere.
ALTER TABLE service_events ADD COLUMN voided_at INTEGER;
ALTER TABLE service_events ADD COLUMN void_reason TEXT;

ALTER TABLE claims ADD COLUMN paid_cents INTEGER;
ALTER TABLE claims ADD COLUMN outstanding_cents INTEGER;
ALTER TABLE claims ADD COLUMN deductible_cents INTEGER;
ALTER TABLE claims ADD COLUMN alae_cents INTEGER;
ALTER TABLE claims ADD COLUMN catastrophe_code TEXT;
ALTER TABLE claims ADD COLUMN reported_on TEXT;
ALTER TABLE claims ADD COLUMN closed_on TEXT;
ALTER TABLE claims ADD COLUMN valued_at TEXT;
CREATE INDEX claims_number ON claims (property_id, claim_number, id) WHERE claim_number IS NOT NULL;

-- The owner's costs of one component, and what an inspector found out about its past.
ALTER TABLE components ADD COLUMN own_planned_cents INTEGER;
ALTER TABLE components ADD COLUMN own_failed_cents INTEGER;
ALTER TABLE components ADD COLUMN past TEXT;
