-- The service event that did the work: the mark is kept, and holds again if the event is voided.
ALTER TABLE work_states ADD COLUMN ended_by text COLLATE "C";
CREATE INDEX work_states_ended ON work_states (ended_by) WHERE ended_by IS NOT NULL;
