-- What a property's condition follows from, and its expected cost, once a week; under the empty property the sums of the partner's portfolio.
CREATE TABLE condition_trends (
  partner_id text COLLATE "C" NOT NULL,
  property_id text COLLATE "C" NOT NULL,
  day text COLLATE "C" NOT NULL,
  properties bigint NOT NULL DEFAULT 0,
  due_cents bigint NOT NULL DEFAULT 0,
  value_cents bigint NOT NULL DEFAULT 0,
  expected_cents bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (partner_id, property_id, day)
);
