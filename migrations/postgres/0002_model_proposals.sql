-- The latest fit that was asked for, kept with its proof until it is put to use or another takes its place: at most one
-- row. Its frailties stand among those of the versions, under the number that it would get.
CREATE TABLE model_proposals (
  id bigint NOT NULL PRIMARY KEY CHECK (id = 1),
  number bigint NOT NULL,
  base text COLLATE "C" NOT NULL,
  made_at bigint NOT NULL,
  is_proven boolean NOT NULL,
  corrections text COLLATE "C" NOT NULL,
  evidence text COLLATE "C" NOT NULL
);

-- Administrators list the embedded pages of a partner.
CREATE INDEX embeds_partner ON embeds (partner_id, id);
