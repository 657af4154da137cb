CREATE TABLE partners (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  daily_budget INTEGER NOT NULL,
  credential_generation INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX partners_name ON partners (name);

CREATE TABLE credentials (
  secret_hash TEXT NOT NULL PRIMARY KEY,
  partner_id TEXT NOT NULL REFERENCES partners (id),
  kind TEXT NOT NULL,
  client_id TEXT,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;
CREATE INDEX credentials_partner ON credentials (partner_id);
CREATE UNIQUE INDEX credentials_client ON credentials (client_id) WHERE client_id is not null;

CREATE TABLE administrators (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;
CREATE UNIQUE INDEX administrators_key ON administrators (key_hash);

CREATE TABLE webhook_receivers (
  partner_id TEXT NOT NULL PRIMARY KEY REFERENCES partners (id),
  url TEXT,
  secret TEXT NOT NULL,
  next_secret TEXT,
  rotates_at INTEGER,
  events TEXT,
  concurrency INTEGER,
  revision INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0,
  failing_since INTEGER,
  paused_at INTEGER,
  last_error TEXT
) STRICT;

CREATE TABLE properties (
  id TEXT NOT NULL PRIMARY KEY,
  partner_id TEXT NOT NULL REFERENCES partners (id),
  seq INTEGER NOT NULL,
  name TEXT NOT NULL,
  address TEXT NOT NULL,
  city TEXT,
  state TEXT NOT NULL,
  zip TEXT,
  unit_count INTEGER NOT NULL,
  year_built INTEGER,
  estimated_value_cents INTEGER,
  is_demo INTEGER NOT NULL,
  partner_property_id TEXT,
  notes TEXT,
  source TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX properties_list ON properties (partner_id, seq);
CREATE UNIQUE INDEX properties_reference ON properties (partner_id, partner_property_id) WHERE partner_property_id is not null;
CREATE INDEX properties_address ON properties (partner_id, address, seq);
CREATE INDEX properties_demo ON properties (partner_id, is_demo, seq) WHERE is_demo = 1;

CREATE TABLE units (
  id TEXT NOT NULL PRIMARY KEY,
  property_id TEXT NOT NULL REFERENCES properties (id),
  number INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX units_list ON units (property_id, number);

CREATE TABLE appliances (
  id TEXT NOT NULL PRIMARY KEY,
  partner_id TEXT NOT NULL,
  property_id TEXT NOT NULL REFERENCES properties (id),
  seq INTEGER NOT NULL,
  unit_id TEXT REFERENCES units (id),
  type_id TEXT NOT NULL,
  brand TEXT,
  model TEXT,
  serial TEXT,
  brand_tier TEXT NOT NULL,
  brand_tier_given INTEGER NOT NULL,
  install_year INTEGER NOT NULL,
  usage_intensity REAL NOT NULL,
  warranty_expiry TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX appliances_list ON appliances (partner_id, seq);
CREATE INDEX appliances_property ON appliances (property_id, seq);
CREATE INDEX appliances_serial ON appliances (property_id, serial, seq) WHERE serial is not null;
CREATE INDEX appliances_unit ON appliances (unit_id) WHERE unit_id is not null;
CREATE INDEX appliances_partner_serial ON appliances (partner_id, serial, seq) WHERE serial is not null;

CREATE TABLE components (
  id TEXT NOT NULL PRIMARY KEY,
  partner_id TEXT NOT NULL,
  property_id TEXT NOT NULL,
  appliance_id TEXT NOT NULL REFERENCES appliances (id),
  seq INTEGER NOT NULL,
  def_id TEXT NOT NULL,
  install_year INTEGER NOT NULL,
  last_replaced TEXT,
  last_serviced TEXT,
  override_lifespan INTEGER,
  risk_score INTEGER NOT NULL,
  risk_tier TEXT NOT NULL,
  confidence TEXT NOT NULL,
  announced_tier TEXT NOT NULL,
  probability REAL NOT NULL,
  prior_age_years REAL NOT NULL,
  rate REAL NOT NULL,
  evidence_ratio REAL NOT NULL,
  scored_on TEXT NOT NULL,
  trend_score INTEGER,
  rescored_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX components_list ON components (partner_id, seq);
CREATE INDEX components_score ON components (partner_id, risk_score, seq);
CREATE INDEX components_tier ON components (partner_id, risk_tier, seq);
CREATE INDEX components_property ON components (property_id, seq);
CREATE INDEX components_appliance ON components (appliance_id, seq);
CREATE INDEX components_settled ON components (partner_id, seq) WHERE rescored_at is null and risk_score >= 52;
CREATE INDEX components_rescored ON components (partner_id, rescored_at, seq) WHERE rescored_at is not null and risk_score >= 52;

CREATE TABLE component_tallies (
  partner_id TEXT NOT NULL,
  bucket INTEGER NOT NULL,
  block INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY(partner_id, bucket, block)
) STRICT, WITHOUT ROWID;

CREATE TABLE property_totals (
  property_id TEXT NOT NULL PRIMARY KEY REFERENCES properties (id),
  partner_id TEXT NOT NULL,
  appliances INTEGER NOT NULL DEFAULT 0,
  components INTEGER NOT NULL DEFAULT 0,
  service_events INTEGER NOT NULL DEFAULT 0,
  critical INTEGER NOT NULL DEFAULT 0,
  warning INTEGER NOT NULL DEFAULT 0,
  critical_proactive_cents INTEGER NOT NULL DEFAULT 0,
  warning_proactive_cents INTEGER NOT NULL DEFAULT 0,
  critical_reactive_cents INTEGER NOT NULL DEFAULT 0,
  warning_reactive_cents INTEGER NOT NULL DEFAULT 0,
  rcv_cents INTEGER NOT NULL DEFAULT 0,
  vital_critical INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX property_totals_partner ON property_totals (partner_id);

CREATE TABLE partner_totals (
  partner_id TEXT NOT NULL PRIMARY KEY REFERENCES partners (id),
  properties INTEGER NOT NULL DEFAULT 0,
  events INTEGER NOT NULL DEFAULT 0,
  appliances INTEGER NOT NULL DEFAULT 0,
  components INTEGER NOT NULL DEFAULT 0,
  service_events INTEGER NOT NULL DEFAULT 0,
  critical INTEGER NOT NULL DEFAULT 0,
  warning INTEGER NOT NULL DEFAULT 0,
  critical_proactive_cents INTEGER NOT NULL DEFAULT 0,
  warning_proactive_cents INTEGER NOT NULL DEFAULT 0,
  critical_reactive_cents INTEGER NOT NULL DEFAULT 0,
  warning_reactive_cents INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE service_events (
  id TEXT NOT NULL PRIMARY KEY,
  partner_id TEXT NOT NULL,
  property_id TEXT NOT NULL,
  appliance_id TEXT NOT NULL REFERENCES appliances (id),
  component_id TEXT REFERENCES components (id),
  event_type TEXT NOT NULL,
  date TEXT NOT NULL,
  parts_cost_cents INTEGER,
  labor_cost_cents INTEGER,
  total_cost_cents INTEGER,
  technician TEXT,
  notes TEXT,
  condition_after TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX service_events_appliance ON service_events (appliance_id, date);

CREATE TABLE sensor_events (
  id TEXT NOT NULL PRIMARY KEY,
  partner_id TEXT NOT NULL,
  property_id TEXT NOT NULL,
  appliance_id TEXT NOT NULL REFERENCES appliances (id),
  component_id TEXT REFERENCES components (id),
  kind TEXT NOT NULL,
  event_type TEXT,
  severity TEXT,
  sensor_id TEXT,
  metric TEXT,
  value REAL,
  unit TEXT,
  notes TEXT,
  recorded_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sensor_events_smart ON sensor_events (appliance_id, recorded_at) WHERE kind = 'smart';

CREATE TABLE claims (
  id TEXT NOT NULL PRIMARY KEY,
  partner_id TEXT NOT NULL,
  property_id TEXT NOT NULL REFERENCES properties (id),
  claim_type TEXT NOT NULL,
  date_of_loss TEXT NOT NULL,
  claim_number TEXT,
  carrier TEXT,
  amount_cents INTEGER NOT NULL,
  description TEXT,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX claims_property ON claims (property_id, date_of_loss, id);

CREATE TABLE photos (
  id TEXT NOT NULL PRIMARY KEY,
  partner_id TEXT NOT NULL,
  appliance_id TEXT NOT NULL REFERENCES appliances (id),
  service_event_id TEXT REFERENCES service_events (id),
  filename TEXT NOT NULL,
  original_name TEXT NOT NULL,
  media_type TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  uploaded_at INTEGER NOT NULL
) STRICT;
CREATE INDEX photos_appliance ON photos (appliance_id, uploaded_at);
CREATE UNIQUE INDEX photos_filename ON photos (filename);

CREATE TABLE risk_snapshots (
  component_id TEXT NOT NULL REFERENCES components (id),
  day TEXT NOT NULL,
  risk_score INTEGER NOT NULL,
  PRIMARY KEY(component_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshot_runs (
  day TEXT NOT NULL PRIMARY KEY,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  cursor TEXT,
  components INTEGER NOT NULL DEFAULT 0,
  changed INTEGER NOT NULL DEFAULT 0,
  critical INTEGER NOT NULL DEFAULT 0,
  warning INTEGER NOT NULL DEFAULT 0,
  announced INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE outcomes (
  service_event_id TEXT NOT NULL REFERENCES service_events (id),
  component_id TEXT NOT NULL REFERENCES components (id),
  partner_id TEXT NOT NULL,
  def_id TEXT NOT NULL,
  event_type TEXT NOT NULL,
  date TEXT NOT NULL,
  age_years REAL NOT NULL,
  probability REAL NOT NULL,
  risk_score INTEGER NOT NULL,
  model_version TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY(service_event_id, component_id)
) STRICT;
CREATE INDEX outcomes_component ON outcomes (component_id);

CREATE TABLE event_log (
  partner_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  PRIMARY KEY(partner_id, seq)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX event_log_since ON event_log (partner_id, created_at);

CREATE TABLE webhook_deliveries (
  id TEXT NOT NULL PRIMARY KEY,
  partner_id TEXT NOT NULL REFERENCES partners (id),
  event TEXT NOT NULL,
  order_key TEXT,
  request_id TEXT,
  body TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  cycle_attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER,
  created_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (partner_id, next_attempt_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_queue ON webhook_deliveries (partner_id, status, id) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_order ON webhook_deliveries (order_key, id) WHERE status = 'pending' and order_key is not null;
CREATE INDEX webhook_deliveries_partner ON webhook_deliveries (partner_id, id);
CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event, id);
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (partner_id, status, id) WHERE status = 'failed';
CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (status, finished_at) WHERE finished_at is not null;

CREATE TABLE webhook_attempts (
  delivery_id TEXT NOT NULL REFERENCES webhook_deliveries (id),
  attempt INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  status_code INTEGER,
  error TEXT,
  address TEXT,
  response_head TEXT NOT NULL,
  PRIMARY KEY(delivery_id, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency_keys (
  partner_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  status_code INTEGER NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY(partner_id, operation, key)
) STRICT;
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

CREATE TABLE daily_budgets (
  partner_id TEXT NOT NULL,
  day TEXT NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY(partner_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE embeds (
  id TEXT NOT NULL PRIMARY KEY,
  partner_id TEXT NOT NULL,
  property_id TEXT NOT NULL REFERENCES properties (id),
  token_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;
CREATE UNIQUE INDEX embeds_token ON embeds (token_hash);
CREATE INDEX embeds_property ON embeds (property_id);

CREATE TABLE audit_log (
  seq INTEGER NOT NULL PRIMARY KEY,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
CREATE INDEX audit_log_subject ON audit_log (subject);

CREATE TABLE clock (
  id INTEGER NOT NULL PRIMARY KEY,
  last_instant INTEGER NOT NULL,
  probed_at INTEGER NOT NULL
) STRICT;

-- The audit log is append-only for everybody, this program included.
CREATE TRIGGER audit_log_keeps_rows BEFORE DELETE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_log_keeps_values BEFORE UPDATE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

INSERT INTO clock (id, last_instant, probed_at) VALUES (1, 0, 0);
