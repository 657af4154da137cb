-- What somebody has to do about each component or whole appliance, as its property's plan says. '' is no day and no mark.
CREATE TABLE plan_actions (
  property_id TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  partner_id TEXT NOT NULL,
  appliance_id TEXT NOT NULL,
  action TEXT NOT NULL,
  system TEXT NOT NULL,
  state TEXT NOT NULL,
  tier TEXT NOT NULL,
  due_on TEXT NOT NULL,
  planned_cents INTEGER NOT NULL,
  waiting_cents INTEGER NOT NULL,
  expected_cents INTEGER NOT NULL,
  work_state TEXT NOT NULL,
  work_until TEXT NOT NULL,
  PRIMARY KEY (property_id, subject_id)
) STRICT, WITHOUT ROWID;
-- The lists by the cost of waiting and by the expected cost, with the columns of their filters and sums.
CREATE INDEX plan_actions_waiting ON plan_actions (partner_id, waiting_cents DESC, subject_id, property_id, appliance_id, action, system, state, tier, due_on, work_state, work_until, planned_cents, expected_cents);
CREATE INDEX plan_actions_expected ON plan_actions (partner_id, expected_cents DESC, subject_id, property_id, appliance_id, action, system, state, tier, due_on, work_state, work_until, planned_cents, waiting_cents);

-- Every plan is computed again on the next request or snapshot.
UPDATE property_plans SET changes = changes + 1;
