-- How many deliveries a snapshot's announcements came to: a partner without a receiver gets none.
ALTER TABLE snapshot_runs ADD COLUMN queued INTEGER NOT NULL DEFAULT 0;
-- Components that no snapshot has seen yet, for a day's second run.
CREATE INDEX components_unseen ON components (property_id) WHERE trend_score IS NULL;
-- Of an appliance that is purged; those of the other kind have an index.
CREATE INDEX sensor_events_meter ON sensor_events (appliance_id) WHERE kind = 'meter';
