-- The cost of what a plan says is due now, from which the condition index follows, and inspections with an open deficiency.
ALTER TABLE appliances ADD COLUMN due_cents bigint NOT NULL DEFAULT 0;
ALTER TABLE appliances ADD COLUMN deficiencies bigint NOT NULL DEFAULT 0;
ALTER TABLE property_totals ADD COLUMN due_cents bigint NOT NULL DEFAULT 0;

-- The costs of appliances that exist already are computed with the sums that follow from prices, deficiencies by the next scoring.
UPDATE price_basis SET basis = '';
