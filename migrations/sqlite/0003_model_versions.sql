-- Models fitted to the operator's own outcomes, each with its evidence. Never changed, and kept for good: scores and
-- outcomes name them.
CREATE TABLE model_versions (
  number INTEGER NOT NULL PRIMARY KEY,
  -- The model of the executable that it corrects: 2 of 2+local.1.
  base TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  is_proven INTEGER NOT NULL,
  -- What was in use before, and is again when this one is undone; NULL for the plain model.
  replaced INTEGER REFERENCES model_versions (number),
  corrections TEXT NOT NULL,
  evidence TEXT NOT NULL
) STRICT;

-- What appliances were found to be, each by its own record.
CREATE TABLE model_frailties (
  appliance_id TEXT NOT NULL REFERENCES appliances (id),
  number INTEGER NOT NULL,
  frailty REAL NOT NULL,
  PRIMARY KEY (appliance_id, number)
) STRICT, WITHOUT ROWID;

-- One row: the version that scores are made with; NULL for the plain model.
CREATE TABLE model_in_use (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  number INTEGER REFERENCES model_versions (number)
) STRICT;
INSERT INTO model_in_use (id, number) VALUES (1, NULL);

-- The latest looks at whether the model in use still forecasts better than the plain one.
CREATE TABLE model_checks (
  day TEXT NOT NULL PRIMARY KEY,
  version TEXT NOT NULL,
  is_worse INTEGER NOT NULL,
  evidence TEXT NOT NULL
) STRICT;
