-- Work that somebody has ordered or deferred. The subject is a component, or an appliance as a whole.
CREATE TABLE work_states (
  subject_id TEXT NOT NULL PRIMARY KEY,
  partner_id TEXT NOT NULL,
  property_id TEXT NOT NULL,
  appliance_id TEXT NOT NULL,
  component_id TEXT,
  state TEXT NOT NULL CHECK (state IN ('ordered', 'deferred')),
  until TEXT,
  marked_by TEXT NOT NULL,
  reason TEXT,
  marked_at INTEGER NOT NULL
) STRICT;
CREATE INDEX work_states_property ON work_states (property_id, subject_id);
