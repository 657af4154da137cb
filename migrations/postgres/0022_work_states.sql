-- Work that somebody has ordered or deferred. The subject is a component, or an appliance as a whole.
CREATE TABLE work_states (
  subject_id text COLLATE "C" NOT NULL PRIMARY KEY,
  partner_id text COLLATE "C" NOT NULL,
  property_id text COLLATE "C" NOT NULL,
  appliance_id text COLLATE "C" NOT NULL,
  component_id text COLLATE "C",
  state text COLLATE "C" NOT NULL CHECK (state IN ('ordered', 'deferred')),
  until text COLLATE "C",
  marked_by text COLLATE "C" NOT NULL,
  reason text COLLATE "C",
  marked_at bigint NOT NULL
);
CREATE INDEX work_states_property ON work_states (property_id, subject_id);
