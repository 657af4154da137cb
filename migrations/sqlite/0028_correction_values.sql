-- The values of corrected records, apart from the audit log that is kept: they are deleted with their partner.
CREATE TABLE correction_values (
  seq INTEGER NOT NULL PRIMARY KEY,
  partner_id TEXT NOT NULL REFERENCES partners (id),
  detail TEXT NOT NULL
) STRICT;
CREATE INDEX correction_values_partner ON correction_values (partner_id);
