-- The latest fit that was asked for, kept with its proof until it is put to use or another takes its place: at most one
-- row. Its frailties stand among those of the versions, under the number that it would get.
CREATE TABLE model_proposals (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  number INTEGER NOT NULL,
  base TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  is_proven INTEGER NOT NULL,
  corrections TEXT NOT NULL,
  evidence TEXT NOT NULL
) STRICT;

-- Administrators list the embedded pages of a partner.
CREATE INDEX embeds_partner ON embeds (partner_id, id);
