-- A voided claim stays on record and counts nowhere.
ALTER TABLE claims ADD COLUMN voided_at INTEGER;
ALTER TABLE claims ADD COLUMN void_reason TEXT;
