-- Very many readings are read a page at a time, those of one moment by their ids.
DROP INDEX sensor_events_smart;
CREATE INDEX sensor_events_smart ON sensor_events (appliance_id, recorded_at, id) WHERE kind = 'smart';
