-- How partners' embeds look.
CREATE TABLE partner_brands (
  partner_id TEXT NOT NULL PRIMARY KEY REFERENCES partners (id),
  display_name TEXT,
  color TEXT,
  color_dark TEXT,
  logo BLOB,
  logo_width INTEGER,
  logo_height INTEGER
) STRICT;
