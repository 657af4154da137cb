-- What servers that share a database agree by. On SQLite one server has it for itself, and these stay empty.
CREATE TABLE servers (
  id TEXT PRIMARY KEY NOT NULL,
  address TEXT NOT NULL,
  version TEXT NOT NULL,
  schema_version INTEGER NOT NULL,
  model TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  clock_off_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX servers_seen ON servers (seen_at);

CREATE TABLE leases (
  name TEXT PRIMARY KEY NOT NULL,
  holder TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  until INTEGER NOT NULL,
  turn INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX leases_holder ON leases (holder);

CREATE TABLE snapshot_shares (
  day TEXT NOT NULL,
  partner_id TEXT NOT NULL,
  cursor TEXT NOT NULL DEFAULT '',
  is_done INTEGER NOT NULL DEFAULT 0,
  components INTEGER NOT NULL DEFAULT 0,
  changed INTEGER NOT NULL DEFAULT 0,
  critical INTEGER NOT NULL DEFAULT 0,
  warning INTEGER NOT NULL DEFAULT 0,
  announced INTEGER NOT NULL DEFAULT 0,
  queued INTEGER NOT NULL DEFAULT 0,
  held_back INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (day, partner_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE minute_calls (
  partner_id TEXT PRIMARY KEY NOT NULL,
  slots TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE event_walks (
  id TEXT PRIMARY KEY NOT NULL,
  partner_id TEXT NOT NULL,
  client TEXT NOT NULL,
  walk TEXT NOT NULL,
  touched_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX event_walks_client ON event_walks (partner_id, client, touched_at);
CREATE INDEX event_walks_touched ON event_walks (touched_at);

CREATE TABLE console_sessions (
  token_hash TEXT PRIMARY KEY NOT NULL,
  key_hash TEXT NOT NULL,
  csrf_token TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX console_sessions_expiry ON console_sessions (expires_at);

CREATE TABLE uploads (
  filename TEXT PRIMARY KEY NOT NULL,
  bytes BLOB NOT NULL,
  written_at INTEGER NOT NULL
) STRICT;
CREATE INDEX uploads_written ON uploads (written_at);

CREATE TABLE installation (
  id INTEGER NOT NULL PRIMARY KEY,
  key_check TEXT NOT NULL
) STRICT;
