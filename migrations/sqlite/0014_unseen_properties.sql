-- Which properties have components that no snapshot has seen: one mark a property in place of an index entry a component,
-- which the first snapshot had to take out again.
DROP INDEX components_unseen;
ALTER TABLE property_totals ADD COLUMN has_unseen INTEGER NOT NULL DEFAULT 0;
UPDATE property_totals SET has_unseen = 1
WHERE property_id IN (SELECT property_id FROM components WHERE trend_score IS NULL);
CREATE INDEX property_totals_unseen ON property_totals (property_id) WHERE has_unseen = 1;
