-- Failed deliveries are grouped by the error of their last attempt.
ALTER TABLE webhook_deliveries ADD COLUMN last_error TEXT;
UPDATE webhook_deliveries SET last_error = (
  SELECT error FROM webhook_attempts WHERE delivery_id = webhook_deliveries.id ORDER BY attempt DESC LIMIT 1
) WHERE status = 'failed';
CREATE INDEX webhook_deliveries_errors ON webhook_deliveries (partner_id, status, coalesce(last_error, ''), id) WHERE status = 'failed';

-- The audit log is filtered by partner, actor, action and time, newest first. An entry belongs to the partner that it names.
ALTER TABLE audit_log ADD COLUMN partner_id TEXT;
DROP TRIGGER audit_log_keeps_values;
UPDATE audit_log SET partner_id = coalesce(
  json_extract(detail, '$.partner_id'),
  (SELECT partner_id FROM correction_values WHERE correction_values.seq = audit_log.seq),
  CASE WHEN substr(subject, 1, 8) = 'PARTNER_' THEN subject END,
  (SELECT partner_id FROM embeds WHERE embeds.id = audit_log.subject),
  (SELECT partner_id FROM properties WHERE properties.id = audit_log.subject),
  (SELECT partner_id FROM appliances WHERE appliances.id = audit_log.subject)
);
CREATE TRIGGER audit_log_keeps_values BEFORE UPDATE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
DROP INDEX audit_log_subject;
CREATE INDEX audit_log_subject ON audit_log (subject, at, seq);
CREATE INDEX audit_log_time ON audit_log (at, seq);
CREATE INDEX audit_log_partner ON audit_log (partner_id, at, seq) WHERE partner_id IS NOT NULL;
CREATE INDEX audit_log_actor ON audit_log (actor, at, seq);
CREATE INDEX audit_log_action ON audit_log (action, at, seq);
