-- Moves with every commit that changes what the partner is shown, or its credentials: what was worked out for an older
-- one no longer stands.
ALTER TABLE partners ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
