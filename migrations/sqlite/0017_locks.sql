-- Locks move out of leases, where the holder was a text to be parsed. Columns are named after what they hold.
CREATE TABLE locks (
  name TEXT PRIMARY KEY NOT NULL,
  id TEXT NOT NULL,
  owner TEXT NOT NULL,
  acquired_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX locks_id ON locks (id);
-- A process that holds one of these fails its next confirmation and stops.
DELETE FROM leases WHERE name = 'fit' OR name = 'calibration' OR name LIKE 'partner:%' OR name LIKE 'import:%';
ALTER TABLE leases RENAME COLUMN turn TO scheduled_for;
ALTER TABLE leases RENAME COLUMN until TO expires_at;
ALTER TABLE minute_calls RENAME TO rate_windows;
ALTER TABLE rate_windows RENAME COLUMN partner_id TO caller;
ALTER TABLE event_walks RENAME TO feed_cursors;
ALTER TABLE feed_cursors RENAME COLUMN walk TO state;
DROP INDEX event_walks_client;
DROP INDEX event_walks_touched;
CREATE INDEX feed_cursors_client ON feed_cursors (partner_id, client, touched_at);
CREATE INDEX feed_cursors_touched ON feed_cursors (touched_at);
ALTER TABLE component_tallies RENAME TO component_counters;
