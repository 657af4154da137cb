-- A voided claim stays on record and counts nowhere.
ALTER TABLE claims ADD COLUMN voided_at bigint;
ALTER TABLE claims ADD COLUMN void_reason text COLLATE "C";
