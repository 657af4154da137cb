-- The condition as its inspector gave it: a number with its scale, as JSON.
ALTER TABLE service_events ADD COLUMN condition_score text COLLATE "C";
