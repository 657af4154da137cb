-- What the plan of each property adds up to, as of the day on which it was made ('' before it was), and the same over
-- a portfolio. A plan is to be made anew where `changes` is ahead of `planned_changes`: here all are.
CREATE TABLE property_plans (
  property_id TEXT NOT NULL PRIMARY KEY REFERENCES properties (id),
  partner_id TEXT NOT NULL,
  changes INTEGER NOT NULL,
  planned_changes INTEGER NOT NULL,
  as_of TEXT NOT NULL,
  doors INTEGER NOT NULL DEFAULT 0,
  due_count INTEGER NOT NULL DEFAULT 0,
  due_cents INTEGER NOT NULL DEFAULT 0,
  due_waiting_cents INTEGER NOT NULL DEFAULT 0,
  years TEXT NOT NULL
) STRICT;
CREATE INDEX property_plans_as_of ON property_plans (partner_id, as_of);
CREATE INDEX property_plans_changed ON property_plans (partner_id) WHERE changes <> planned_changes;

CREATE TABLE partner_plans (
  partner_id TEXT NOT NULL PRIMARY KEY REFERENCES partners (id),
  doors INTEGER NOT NULL DEFAULT 0,
  due_count INTEGER NOT NULL DEFAULT 0,
  due_cents INTEGER NOT NULL DEFAULT 0,
  due_waiting_cents INTEGER NOT NULL DEFAULT 0,
  years TEXT NOT NULL
) STRICT;

CREATE TABLE plan_candidates (
  property_id TEXT NOT NULL,
  component_id TEXT NOT NULL,
  partner_id TEXT NOT NULL,
  rank REAL NOT NULL,
  planned_cents INTEGER NOT NULL,
  waiting_cents INTEGER NOT NULL,
  PRIMARY KEY (property_id, component_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX plan_candidates_rank ON plan_candidates (partner_id, rank, component_id, planned_cents, waiting_cents);

INSERT INTO property_plans (property_id, partner_id, changes, planned_changes, as_of, years)
SELECT id, partner_id, 1, 0, '', json_object(
  'planned', json(zeros), 'failures', json(zeros), 'runToFailure', json(zeros), 'variance', json(zeros)
)
FROM properties, (SELECT '[0' || replace(hex(zeroblob(29)), '00', ',0') || ']' AS zeros);
