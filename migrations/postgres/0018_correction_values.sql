-- The values of corrected records, apart from the audit log that is kept: they are deleted with their partner.
CREATE TABLE correction_values (
  seq bigint NOT NULL PRIMARY KEY,
  partner_id text COLLATE "C" NOT NULL REFERENCES partners (id),
  detail text COLLATE "C" NOT NULL
);
CREATE INDEX correction_values_partner ON correction_values (partner_id);
