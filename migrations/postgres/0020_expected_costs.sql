-- Alerts in the order of what a failure within a year is expected to cost. 0 below WARNING.
ALTER TABLE components ADD COLUMN expected_cost_cents bigint NOT NULL DEFAULT 0;
CREATE INDEX components_cost ON components (partner_id, expected_cost_cents desc, seq, risk_score, system, state) WHERE risk_score >= 52;

-- The costs of components that exist already are computed with the sums that follow from prices.
UPDATE price_basis SET basis = '';
