-- The values of partners in entries of earlier versions, apart from the audit log that is kept: they are deleted with their partner.
INSERT INTO correction_values (seq, partner_id, detail)
SELECT seq, partner_id, detail FROM audit_log
WHERE action IN ('cost_book.change', 'portfolio.import', 'property.retired', 'appliance.retired')
  AND partner_id IN (SELECT id FROM partners)
  AND seq NOT IN (SELECT seq FROM correction_values);

DROP TRIGGER audit_log_keeps_values;
UPDATE audit_log SET detail = json_remove(detail, '$.changes') WHERE action = 'cost_book.change';
UPDATE audit_log SET detail = json_remove(detail, '$.retired_at', '$.retired_reason')
WHERE action IN ('property.retired', 'appliance.retired');
UPDATE audit_log SET detail = json_object('files', json((
  SELECT json_group_array(json_remove(value, '$.file')) FROM json_each(audit_log.detail, '$.files')
)))
WHERE action = 'portfolio.import';
CREATE TRIGGER audit_log_keeps_values BEFORE UPDATE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
