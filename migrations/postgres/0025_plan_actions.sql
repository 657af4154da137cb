-- What somebody has to do about each component or whole appliance, as its property's plan says. '' is no day and no mark.
CREATE TABLE plan_actions (
  property_id text COLLATE "C" NOT NULL,
  subject_id text COLLATE "C" NOT NULL,
  partner_id text COLLATE "C" NOT NULL,
  appliance_id text COLLATE "C" NOT NULL,
  action text COLLATE "C" NOT NULL,
  system text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  tier text COLLATE "C" NOT NULL,
  due_on text COLLATE "C" NOT NULL,
  planned_cents bigint NOT NULL,
  waiting_cents bigint NOT NULL,
  expected_cents bigint NOT NULL,
  work_state text COLLATE "C" NOT NULL,
  work_until text COLLATE "C" NOT NULL,
  PRIMARY KEY (property_id, subject_id)
);
-- The lists by the cost of waiting and by the expected cost, with the columns of their filters and sums.
CREATE INDEX plan_actions_waiting ON plan_actions (partner_id, waiting_cents desc, subject_id, property_id, appliance_id, action, system, state, tier, due_on, work_state, work_until, planned_cents, expected_cents);
CREATE INDEX plan_actions_expected ON plan_actions (partner_id, expected_cents desc, subject_id, property_id, appliance_id, action, system, state, tier, due_on, work_state, work_until, planned_cents, waiting_cents);

-- Every plan is computed again on the next request or snapshot.
UPDATE property_plans SET changes = changes + 1;
