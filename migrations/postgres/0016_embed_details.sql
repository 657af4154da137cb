-- Embeds have a label and a recipient, may ask for a passcode, and list their latest views.
ALTER TABLE embeds ADD COLUMN label text COLLATE "C";
ALTER TABLE embeds ADD COLUMN recipient text COLLATE "C";
ALTER TABLE embeds ADD COLUMN passcode_hash text COLLATE "C";
ALTER TABLE embeds ADD COLUMN recent_views text COLLATE "C";
