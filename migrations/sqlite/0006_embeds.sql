-- Embeds may end by themselves, and tell how often they were looked at.
ALTER TABLE embeds ADD COLUMN expires_at INTEGER;
ALTER TABLE embeds ADD COLUMN views INTEGER NOT NULL DEFAULT 0;
ALTER TABLE embeds ADD COLUMN last_viewed_at INTEGER;
