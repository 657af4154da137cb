-- Whether a day's snapshot was taken again, since another model than the executable's had taken it: the day's points of
-- the trends stand as they were.
ALTER TABLE snapshot_runs ADD COLUMN taken_again INTEGER NOT NULL DEFAULT 0;
