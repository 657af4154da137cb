-- What a property's condition follows from, and its expected cost, once a week; under the empty property the sums of the partner's portfolio.
CREATE TABLE condition_trends (
  partner_id TEXT NOT NULL,
  property_id TEXT NOT NULL,
  day TEXT NOT NULL,
  properties INTEGER NOT NULL DEFAULT 0,
  due_cents INTEGER NOT NULL DEFAULT 0,
  value_cents INTEGER NOT NULL DEFAULT 0,
  expected_cents INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (partner_id, property_id, day)
) STRICT, WITHOUT ROWID;
