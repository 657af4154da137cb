-- The values of partners in entries of earlier versions, apart from the audit log that is kept: they are deleted with their partner.
INSERT INTO correction_values (seq, partner_id, detail)
SELECT seq, partner_id, detail FROM audit_log
WHERE action IN ('cost_book.change', 'portfolio.import', 'property.retired', 'appliance.retired')
  AND partner_id IN (SELECT id FROM partners)
  AND seq NOT IN (SELECT seq FROM correction_values);

ALTER TABLE audit_log DISABLE TRIGGER audit_log_keeps_rows;
-- As json, not jsonb, which rejects some texts.
UPDATE audit_log SET detail = json_build_object(
  'first', detail::json -> 'first', 'changes_in_all', detail::json -> 'changes_in_all'
)::text
WHERE action = 'cost_book.change';
UPDATE audit_log SET detail = json_build_object('partner_id', detail::json -> 'partner_id')::text
WHERE action IN ('property.retired', 'appliance.retired');
UPDATE audit_log SET detail = json_build_object('files', (
  SELECT coalesce(json_agg(json_build_object('kind', file -> 'kind', 'rows', file -> 'rows') ORDER BY place), '[]')
  FROM json_array_elements(audit_log.detail::json -> 'files') WITH ORDINALITY AS files (file, place)
))::text
WHERE action = 'portfolio.import';
ALTER TABLE audit_log ENABLE TRIGGER audit_log_keeps_rows;
