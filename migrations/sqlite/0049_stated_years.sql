-- Whether the partner stated the year of a component, which then does not follow that of its appliance.
ALTER TABLE components ADD COLUMN install_year_given INTEGER NOT NULL DEFAULT 0;
UPDATE components SET install_year_given = 1
  WHERE install_year <> (SELECT appliances.install_year FROM appliances WHERE appliances.id = components.appliance_id);
-- Photos stayed behind when their service event moved to another appliance.
UPDATE photos SET appliance_id = (
    SELECT service_events.appliance_id FROM service_events WHERE service_events.id = photos.service_event_id
  )
  WHERE service_event_id IS NOT NULL AND appliance_id <> (
    SELECT service_events.appliance_id FROM service_events WHERE service_events.id = photos.service_event_id
  );
