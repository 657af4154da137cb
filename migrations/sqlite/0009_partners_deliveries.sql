-- Partners list their own deliveries by status and event: looked through in these alone, and at most so far back.
DROP INDEX webhook_deliveries_partner;
CREATE INDEX webhook_deliveries_partner ON webhook_deliveries (partner_id, id, status);
CREATE INDEX webhook_deliveries_partner_event ON webhook_deliveries (partner_id, event, id, status);
