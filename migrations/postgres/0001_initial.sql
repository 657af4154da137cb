-- The schema of `src/store/schema.ts`. Text is ordered by its bytes (COLLATE "C"), as ids and days want it in whatever
-- language the database was made; whole numbers have 64 bits; JSON is text, read as it was written.

CREATE TABLE partners (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  enabled boolean NOT NULL,
  daily_budget bigint NOT NULL,
  credential_generation bigint NOT NULL,
  created_at bigint NOT NULL,
  revision bigint NOT NULL DEFAULT 1
);
CREATE INDEX partners_name ON partners (name);

CREATE TABLE credentials (
  secret_hash text COLLATE "C" NOT NULL PRIMARY KEY,
  partner_id text COLLATE "C" NOT NULL REFERENCES partners (id),
  kind text COLLATE "C" NOT NULL,
  client_id text COLLATE "C",
  created_at bigint NOT NULL,
  revoked_at bigint
);
CREATE INDEX credentials_partner ON credentials (partner_id);
CREATE UNIQUE INDEX credentials_client ON credentials (client_id) WHERE client_id is not null;

CREATE TABLE administrators (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  key_hash text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  revoked_at bigint
);
CREATE UNIQUE INDEX administrators_key ON administrators (key_hash);

CREATE TABLE webhook_receivers (
  partner_id text COLLATE "C" NOT NULL PRIMARY KEY REFERENCES partners (id),
  url text COLLATE "C",
  secret text COLLATE "C" NOT NULL,
  next_secret text COLLATE "C",
  rotates_at bigint,
  events text COLLATE "C",
  concurrency bigint,
  revision bigint NOT NULL DEFAULT 0,
  failures bigint NOT NULL DEFAULT 0,
  failing_since bigint,
  paused_at bigint,
  last_error text COLLATE "C"
);

CREATE TABLE properties (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  partner_id text COLLATE "C" NOT NULL REFERENCES partners (id),
  seq bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL,
  city text COLLATE "C",
  state text COLLATE "C" NOT NULL,
  zip text COLLATE "C",
  unit_count bigint NOT NULL,
  year_built bigint,
  estimated_value_cents bigint,
  is_demo boolean NOT NULL,
  partner_property_id text COLLATE "C",
  notes text COLLATE "C",
  source text COLLATE "C" NOT NULL,
  records_since text COLLATE "C" NOT NULL,
  records_since_given boolean NOT NULL DEFAULT false,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
CREATE UNIQUE INDEX properties_list ON properties (partner_id, seq);
CREATE UNIQUE INDEX properties_reference ON properties (partner_id, partner_property_id) WHERE partner_property_id is not null;
CREATE INDEX properties_address ON properties (partner_id, address, seq);
CREATE INDEX properties_demo ON properties (partner_id, is_demo, seq) WHERE is_demo;

CREATE TABLE units (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  property_id text COLLATE "C" NOT NULL REFERENCES properties (id),
  number bigint NOT NULL,
  created_at bigint NOT NULL
);
CREATE UNIQUE INDEX units_list ON units (property_id, number);

CREATE TABLE appliances (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  partner_id text COLLATE "C" NOT NULL,
  property_id text COLLATE "C" NOT NULL REFERENCES properties (id),
  seq bigint NOT NULL,
  unit_id text COLLATE "C" REFERENCES units (id),
  type_id text COLLATE "C" NOT NULL,
  brand text COLLATE "C",
  model text COLLATE "C",
  serial text COLLATE "C",
  brand_tier text COLLATE "C" NOT NULL,
  brand_tier_given boolean NOT NULL,
  install_year bigint NOT NULL,
  usage_intensity double precision NOT NULL,
  warranty_expiry text COLLATE "C",
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
CREATE UNIQUE INDEX appliances_list ON appliances (partner_id, seq);
CREATE INDEX appliances_property ON appliances (property_id, seq);
CREATE INDEX appliances_serial ON appliances (property_id, serial, seq) WHERE serial is not null;
CREATE INDEX appliances_unit ON appliances (unit_id) WHERE unit_id is not null;
CREATE INDEX appliances_partner_serial ON appliances (partner_id, serial, seq) WHERE serial is not null;

CREATE TABLE components (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  partner_id text COLLATE "C" NOT NULL,
  property_id text COLLATE "C" NOT NULL,
  appliance_id text COLLATE "C" NOT NULL REFERENCES appliances (id),
  seq bigint NOT NULL,
  def_id text COLLATE "C" NOT NULL,
  install_year bigint NOT NULL,
  last_replaced text COLLATE "C",
  last_serviced text COLLATE "C",
  override_lifespan bigint,
  risk_score bigint NOT NULL,
  risk_tier text COLLATE "C" NOT NULL,
  confidence text COLLATE "C" NOT NULL,
  announced_tier text COLLATE "C" NOT NULL,
  life_factor double precision NOT NULL DEFAULT 1,
  effective_age_years double precision NOT NULL,
  rate double precision NOT NULL,
  hazard_ratio double precision NOT NULL,
  acute_hazard double precision NOT NULL,
  scored_on text COLLATE "C" NOT NULL,
  trend_score bigint,
  rescored_at bigint,
  created_at bigint NOT NULL,
  system text COLLATE "C" NOT NULL DEFAULT '',
  state text COLLATE "C" NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX components_list ON components (partner_id, seq);
CREATE INDEX components_score ON components (partner_id, risk_score, seq);
CREATE INDEX components_tier ON components (partner_id, risk_tier, seq);
CREATE INDEX components_system ON components (partner_id, system, risk_score desc, seq) WHERE risk_score >= 52;
CREATE INDEX components_state ON components (partner_id, state, risk_score desc, seq, system) WHERE risk_score >= 52;
CREATE INDEX components_property ON components (property_id, seq);
CREATE INDEX components_appliance ON components (appliance_id, seq);
CREATE INDEX components_settled ON components (partner_id, seq) WHERE rescored_at is null and risk_score >= 52;
CREATE INDEX components_rescored ON components (partner_id, rescored_at, seq) WHERE rescored_at is not null and risk_score >= 52;
CREATE INDEX components_unseen ON components (property_id) WHERE trend_score is null;

CREATE TABLE component_tallies (
  partner_id text COLLATE "C" NOT NULL,
  bucket bigint NOT NULL,
  block bigint NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (partner_id, bucket, block)
);

CREATE TABLE property_totals (
  property_id text COLLATE "C" NOT NULL PRIMARY KEY REFERENCES properties (id),
  partner_id text COLLATE "C" NOT NULL,
  appliances bigint NOT NULL DEFAULT 0,
  components bigint NOT NULL DEFAULT 0,
  service_events bigint NOT NULL DEFAULT 0,
  critical bigint NOT NULL DEFAULT 0,
  warning bigint NOT NULL DEFAULT 0,
  critical_proactive_cents bigint NOT NULL DEFAULT 0,
  warning_proactive_cents bigint NOT NULL DEFAULT 0,
  critical_reactive_cents bigint NOT NULL DEFAULT 0,
  warning_reactive_cents bigint NOT NULL DEFAULT 0,
  rcv_cents bigint NOT NULL DEFAULT 0,
  vital_critical bigint NOT NULL DEFAULT 0
);
CREATE INDEX property_totals_partner ON property_totals (partner_id);

CREATE TABLE partner_totals (
  partner_id text COLLATE "C" NOT NULL PRIMARY KEY REFERENCES partners (id),
  properties bigint NOT NULL DEFAULT 0,
  events bigint NOT NULL DEFAULT 0,
  appliances bigint NOT NULL DEFAULT 0,
  components bigint NOT NULL DEFAULT 0,
  service_events bigint NOT NULL DEFAULT 0,
  critical bigint NOT NULL DEFAULT 0,
  warning bigint NOT NULL DEFAULT 0,
  critical_proactive_cents bigint NOT NULL DEFAULT 0,
  warning_proactive_cents bigint NOT NULL DEFAULT 0,
  critical_reactive_cents bigint NOT NULL DEFAULT 0,
  warning_reactive_cents bigint NOT NULL DEFAULT 0
);

CREATE TABLE property_plans (
  property_id text COLLATE "C" NOT NULL PRIMARY KEY REFERENCES properties (id),
  partner_id text COLLATE "C" NOT NULL,
  changes bigint NOT NULL,
  planned_changes bigint NOT NULL,
  as_of text COLLATE "C" NOT NULL,
  doors bigint NOT NULL DEFAULT 0,
  due_count bigint NOT NULL DEFAULT 0,
  due_cents bigint NOT NULL DEFAULT 0,
  due_waiting_cents bigint NOT NULL DEFAULT 0,
  years text COLLATE "C" NOT NULL
);
CREATE INDEX property_plans_as_of ON property_plans (partner_id, as_of);
CREATE INDEX property_plans_changed ON property_plans (partner_id) WHERE changes <> planned_changes;

CREATE TABLE partner_plans (
  partner_id text COLLATE "C" NOT NULL PRIMARY KEY REFERENCES partners (id),
  doors bigint NOT NULL DEFAULT 0,
  due_count bigint NOT NULL DEFAULT 0,
  due_cents bigint NOT NULL DEFAULT 0,
  due_waiting_cents bigint NOT NULL DEFAULT 0,
  years text COLLATE "C" NOT NULL
);

CREATE TABLE plan_candidates (
  property_id text COLLATE "C" NOT NULL,
  component_id text COLLATE "C" NOT NULL,
  partner_id text COLLATE "C" NOT NULL,
  rank double precision NOT NULL,
  planned_cents bigint NOT NULL,
  waiting_cents bigint NOT NULL,
  PRIMARY KEY (property_id, component_id)
);
CREATE INDEX plan_candidates_rank ON plan_candidates (partner_id, rank, component_id, planned_cents, waiting_cents);

CREATE TABLE service_events (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  partner_id text COLLATE "C" NOT NULL,
  property_id text COLLATE "C" NOT NULL,
  appliance_id text COLLATE "C" NOT NULL REFERENCES appliances (id),
  component_id text COLLATE "C" REFERENCES components (id),
  event_type text COLLATE "C" NOT NULL,
  date text COLLATE "C" NOT NULL,
  parts_cost_cents bigint,
  labor_cost_cents bigint,
  total_cost_cents bigint,
  technician text COLLATE "C",
  notes text COLLATE "C",
  condition_after text COLLATE "C",
  created_at bigint NOT NULL,
  note_key text COLLATE "C",
  findings text COLLATE "C",
  read_by text COLLATE "C"
);
CREATE INDEX service_events_appliance ON service_events (appliance_id, date);

CREATE TABLE sensor_events (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  partner_id text COLLATE "C" NOT NULL,
  property_id text COLLATE "C" NOT NULL,
  appliance_id text COLLATE "C" NOT NULL REFERENCES appliances (id),
  component_id text COLLATE "C" REFERENCES components (id),
  kind text COLLATE "C" NOT NULL,
  event_type text COLLATE "C",
  severity text COLLATE "C",
  sensor_id text COLLATE "C",
  metric text COLLATE "C",
  value double precision,
  unit text COLLATE "C",
  notes text COLLATE "C",
  recorded_at bigint NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX sensor_events_smart ON sensor_events (appliance_id, recorded_at) WHERE kind = 'smart';
CREATE INDEX sensor_events_meter ON sensor_events (appliance_id) WHERE kind = 'meter';

CREATE TABLE claims (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  partner_id text COLLATE "C" NOT NULL,
  property_id text COLLATE "C" NOT NULL REFERENCES properties (id),
  claim_type text COLLATE "C" NOT NULL,
  date_of_loss text COLLATE "C" NOT NULL,
  claim_number text COLLATE "C",
  carrier text COLLATE "C",
  amount_cents bigint NOT NULL,
  description text COLLATE "C",
  status text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX claims_property ON claims (property_id, date_of_loss, id);

CREATE TABLE photos (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  partner_id text COLLATE "C" NOT NULL,
  appliance_id text COLLATE "C" NOT NULL REFERENCES appliances (id),
  service_event_id text COLLATE "C" REFERENCES service_events (id),
  filename text COLLATE "C" NOT NULL,
  original_name text COLLATE "C" NOT NULL,
  media_type text COLLATE "C" NOT NULL,
  bytes bigint NOT NULL,
  sha256 text COLLATE "C" NOT NULL,
  uploaded_at bigint NOT NULL
);
CREATE INDEX photos_appliance ON photos (appliance_id, uploaded_at);
CREATE UNIQUE INDEX photos_filename ON photos (filename);

CREATE TABLE risk_snapshots (
  component_id text COLLATE "C" NOT NULL REFERENCES components (id),
  day text COLLATE "C" NOT NULL,
  risk_score bigint NOT NULL,
  PRIMARY KEY (component_id, day)
);

CREATE TABLE snapshot_runs (
  day text COLLATE "C" NOT NULL PRIMARY KEY,
  started_at bigint NOT NULL,
  finished_at bigint,
  cursor text COLLATE "C",
  components bigint NOT NULL DEFAULT 0,
  changed bigint NOT NULL DEFAULT 0,
  critical bigint NOT NULL DEFAULT 0,
  warning bigint NOT NULL DEFAULT 0,
  announced bigint NOT NULL DEFAULT 0,
  queued bigint NOT NULL DEFAULT 0,
  held_back bigint NOT NULL DEFAULT 0,
  model_version text COLLATE "C" NOT NULL DEFAULT '1',
  taken_again boolean NOT NULL DEFAULT false
);

CREATE TABLE outcomes (
  service_event_id text COLLATE "C" NOT NULL REFERENCES service_events (id),
  component_id text COLLATE "C" NOT NULL REFERENCES components (id),
  partner_id text COLLATE "C" NOT NULL,
  def_id text COLLATE "C" NOT NULL,
  event_type text COLLATE "C" NOT NULL,
  date text COLLATE "C" NOT NULL,
  age_years double precision NOT NULL,
  probability double precision NOT NULL,
  risk_score bigint NOT NULL,
  model_version text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (service_event_id, component_id)
);
CREATE INDEX outcomes_component ON outcomes (component_id);

CREATE TABLE event_log (
  partner_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  created_at bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  subject_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (partner_id, seq)
);
CREATE UNIQUE INDEX event_log_since ON event_log (partner_id, created_at);

CREATE TABLE webhook_deliveries (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  partner_id text COLLATE "C" NOT NULL REFERENCES partners (id),
  event text COLLATE "C" NOT NULL,
  order_key text COLLATE "C",
  request_id text COLLATE "C",
  body text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  attempts bigint NOT NULL DEFAULT 0,
  cycle_attempts bigint NOT NULL DEFAULT 0,
  next_attempt_at bigint,
  created_at bigint NOT NULL,
  finished_at bigint
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (partner_id, next_attempt_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_queue ON webhook_deliveries (partner_id, status, id) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_order ON webhook_deliveries (order_key, id) WHERE status = 'pending' and order_key is not null;
CREATE INDEX webhook_deliveries_partner ON webhook_deliveries (partner_id, id, status);
CREATE INDEX webhook_deliveries_partner_event ON webhook_deliveries (partner_id, event, id, status);
CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event, id);
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (partner_id, status, id) WHERE status = 'failed';
CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (status, finished_at) WHERE finished_at is not null;

CREATE TABLE webhook_attempts (
  delivery_id text COLLATE "C" NOT NULL REFERENCES webhook_deliveries (id),
  attempt bigint NOT NULL,
  started_at bigint NOT NULL,
  duration_ms bigint NOT NULL,
  status_code bigint,
  error text COLLATE "C",
  address text COLLATE "C",
  response_head text COLLATE "C" NOT NULL,
  PRIMARY KEY (delivery_id, attempt)
);

CREATE TABLE idempotency_keys (
  partner_id text COLLATE "C" NOT NULL,
  operation text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  request_hash text COLLATE "C" NOT NULL,
  status_code bigint NOT NULL,
  body text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (partner_id, operation, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

CREATE TABLE daily_budgets (
  partner_id text COLLATE "C" NOT NULL,
  day text COLLATE "C" NOT NULL,
  calls bigint NOT NULL,
  PRIMARY KEY (partner_id, day)
);

CREATE TABLE embeds (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  partner_id text COLLATE "C" NOT NULL,
  property_id text COLLATE "C" NOT NULL REFERENCES properties (id),
  token_hash text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  revoked_at bigint,
  expires_at bigint,
  views bigint NOT NULL DEFAULT 0,
  last_viewed_at bigint
);
CREATE UNIQUE INDEX embeds_token ON embeds (token_hash);
CREATE INDEX embeds_property ON embeds (property_id);

CREATE TABLE model_versions (
  number bigint NOT NULL PRIMARY KEY,
  base text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  actor text COLLATE "C" NOT NULL,
  is_proven boolean NOT NULL,
  replaced bigint REFERENCES model_versions (number),
  corrections text COLLATE "C" NOT NULL,
  evidence text COLLATE "C" NOT NULL
);

CREATE TABLE model_frailties (
  appliance_id text COLLATE "C" NOT NULL REFERENCES appliances (id),
  number bigint NOT NULL,
  frailty double precision NOT NULL,
  PRIMARY KEY (appliance_id, number)
);

CREATE TABLE model_in_use (
  id bigint NOT NULL PRIMARY KEY CHECK (id = 1),
  number bigint REFERENCES model_versions (number)
);

CREATE TABLE model_checks (
  day text COLLATE "C" NOT NULL PRIMARY KEY,
  version text COLLATE "C" NOT NULL,
  is_worse boolean NOT NULL,
  evidence text COLLATE "C" NOT NULL
);

CREATE TABLE audit_log (
  seq bigint GENERATED BY DEFAULT AS IDENTITY NOT NULL PRIMARY KEY,
  at bigint NOT NULL,
  actor text COLLATE "C" NOT NULL,
  action text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  detail text COLLATE "C" NOT NULL
);
CREATE INDEX audit_log_subject ON audit_log (subject);

CREATE TABLE clock (
  id bigint NOT NULL PRIMARY KEY,
  last_instant bigint NOT NULL,
  probed_at bigint NOT NULL
);

-- What servers that share the database agree by.
CREATE TABLE servers (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  address text COLLATE "C" NOT NULL,
  version text COLLATE "C" NOT NULL,
  schema_version bigint NOT NULL,
  model text COLLATE "C" NOT NULL,
  started_at bigint NOT NULL,
  seen_at bigint NOT NULL,
  clock_off_ms bigint NOT NULL
);
CREATE INDEX servers_seen ON servers (seen_at);

CREATE TABLE leases (
  name text COLLATE "C" NOT NULL PRIMARY KEY,
  holder text COLLATE "C" NOT NULL,
  epoch bigint NOT NULL,
  until bigint NOT NULL,
  turn bigint NOT NULL DEFAULT 0
);
CREATE INDEX leases_holder ON leases (holder);

CREATE TABLE snapshot_shares (
  day text COLLATE "C" NOT NULL,
  partner_id text COLLATE "C" NOT NULL,
  cursor text COLLATE "C" NOT NULL DEFAULT '',
  is_done boolean NOT NULL DEFAULT false,
  components bigint NOT NULL DEFAULT 0,
  changed bigint NOT NULL DEFAULT 0,
  critical bigint NOT NULL DEFAULT 0,
  warning bigint NOT NULL DEFAULT 0,
  announced bigint NOT NULL DEFAULT 0,
  queued bigint NOT NULL DEFAULT 0,
  held_back bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (day, partner_id)
);

CREATE TABLE minute_calls (
  partner_id text COLLATE "C" NOT NULL PRIMARY KEY,
  slots text COLLATE "C" NOT NULL
);

CREATE TABLE event_walks (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  partner_id text COLLATE "C" NOT NULL,
  client text COLLATE "C" NOT NULL,
  walk text COLLATE "C" NOT NULL,
  touched_at bigint NOT NULL
);
CREATE INDEX event_walks_client ON event_walks (partner_id, client, touched_at);
CREATE INDEX event_walks_touched ON event_walks (touched_at);

CREATE TABLE console_sessions (
  token_hash text COLLATE "C" NOT NULL PRIMARY KEY,
  key_hash text COLLATE "C" NOT NULL,
  csrf_token text COLLATE "C" NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX console_sessions_expiry ON console_sessions (expires_at);

CREATE TABLE uploads (
  filename text COLLATE "C" NOT NULL PRIMARY KEY,
  bytes bytea NOT NULL,
  written_at bigint NOT NULL
);
CREATE INDEX uploads_written ON uploads (written_at);

CREATE TABLE installation (
  id bigint NOT NULL PRIMARY KEY,
  key_check text COLLATE "C" NOT NULL
);

-- What a row that is deleted is looked for by in the rows that may refer to it.
CREATE INDEX service_events_component ON service_events (component_id) WHERE component_id IS NOT NULL;
CREATE INDEX sensor_events_component ON sensor_events (component_id) WHERE component_id IS NOT NULL;
CREATE INDEX photos_service_event ON photos (service_event_id) WHERE service_event_id IS NOT NULL;

-- The last instant given to a partner's rows, and the last id to a delivery. Whoever writes these locks the row of their
-- totals first.
ALTER TABLE partner_totals ADD COLUMN last_instant bigint NOT NULL DEFAULT 0;
ALTER TABLE partner_totals ADD COLUMN last_delivery text COLLATE "C" NOT NULL DEFAULT '';

-- The last group of writes that each writer of a server has committed: tells after a lost connection whether a commit
-- has happened, and servers that another one has written.
CREATE TABLE write_groups (
  writer text COLLATE "C" NOT NULL PRIMARY KEY,
  number bigint NOT NULL,
  written_at timestamptz NOT NULL
);

-- The audit log is append-only for everybody, this program included.
CREATE FUNCTION audit_log_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is append-only';
END $$;
CREATE TRIGGER audit_log_keeps_rows BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_kept();

INSERT INTO clock (id, last_instant, probed_at) VALUES (1, 0, 0);
INSERT INTO model_in_use (id, number) VALUES (1, NULL);
