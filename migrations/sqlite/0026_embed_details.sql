-- Embeds have a label and a recipient, may ask for a passcode, and list their latest views.
ALTER TABLE embeds ADD COLUMN label TEXT;
ALTER TABLE embeds ADD COLUMN recipient TEXT;
ALTER TABLE embeds ADD COLUMN passcode_hash TEXT;
ALTER TABLE embeds ADD COLUMN recent_views TEXT;
