-- What the notes of service events speak of, read once. Those from before are read when they are next scored.
ALTER TABLE service_events ADD COLUMN note_key TEXT;
ALTER TABLE service_events ADD COLUMN findings TEXT;
ALTER TABLE service_events ADD COLUMN read_by TEXT;
