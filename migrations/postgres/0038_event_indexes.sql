-- Voided events are skipped in the index. Events with a poor condition, and Replacements of a day, have indexes of their own.
CREATE INDEX service_events_poor ON service_events (appliance_id) WHERE condition_after = 'poor' AND voided_at IS NULL;
CREATE INDEX service_events_replacements ON service_events (appliance_id, date, component_id, id, voided_at)
  WHERE event_type = 'Replacement';
CREATE INDEX service_events_days ON service_events (appliance_id, date, id, voided_at);
-- Dropped last, since even reads then wait until the end of the transaction.
DROP INDEX service_events_appliance;
ALTER INDEX service_events_days RENAME TO service_events_appliance;
