-- Whether the partner stated the year of a component, which then does not follow that of its appliance.
ALTER TABLE components ADD COLUMN install_year_given boolean NOT NULL DEFAULT false;
UPDATE components SET install_year_given = true
  FROM appliances WHERE appliances.id = components.appliance_id AND appliances.install_year <> components.install_year;
-- Photos stayed behind when their service event moved to another appliance.
UPDATE photos SET appliance_id = service_events.appliance_id
  FROM service_events WHERE service_events.id = photos.service_event_id
    AND service_events.appliance_id <> photos.appliance_id;
