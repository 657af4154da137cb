-- Locks move out of leases, where the holder was a text to be parsed. Columns are named after what they hold.
CREATE TABLE locks (
  name text COLLATE "C" NOT NULL PRIMARY KEY,
  id text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  acquired_at bigint NOT NULL,
  expires_at bigint NOT NULL
);
CREATE UNIQUE INDEX locks_id ON locks (id);
-- A process that holds one of these fails its next confirmation and stops.
DELETE FROM leases WHERE name = 'fit' OR name = 'calibration' OR name LIKE 'partner:%' OR name LIKE 'import:%';
ALTER TABLE leases RENAME COLUMN turn TO scheduled_for;
ALTER TABLE leases RENAME COLUMN until TO expires_at;
ALTER TABLE minute_calls RENAME TO rate_windows;
ALTER TABLE rate_windows RENAME COLUMN partner_id TO caller;
ALTER TABLE event_walks RENAME TO feed_cursors;
ALTER TABLE feed_cursors RENAME COLUMN walk TO state;
ALTER INDEX event_walks_client RENAME TO feed_cursors_client;
ALTER INDEX event_walks_touched RENAME TO feed_cursors_touched;
ALTER TABLE component_tallies RENAME TO component_counters;
