-- How partners' embeds look.
CREATE TABLE partner_brands (
  partner_id text COLLATE "C" NOT NULL PRIMARY KEY REFERENCES partners (id),
  display_name text COLLATE "C",
  color text COLLATE "C",
  color_dark text COLLATE "C",
  logo bytea,
  logo_width bigint,
  logo_height bigint
);
