-- A long history is read a page at a time, the events of one day by their ids.
DROP INDEX service_events_appliance;
CREATE INDEX service_events_appliance ON service_events (appliance_id, date, id);
