-- The size of all photos of a partner, which has a limit.
ALTER TABLE partner_totals ADD COLUMN photo_bytes bigint NOT NULL DEFAULT 0;
UPDATE partner_totals SET photo_bytes = stored.bytes
FROM (SELECT partner_id, sum(bytes) AS bytes FROM photos GROUP BY partner_id) AS stored
WHERE stored.partner_id = partner_totals.partner_id;
