-- Whether the partner stated the year of a component, which then does not follow that of its appliance.
ALTER TABLE components ADD COLUMN install_year_given boolean NOT NULL DEFAULT false;
UPDATE components SET install_year_given = true
  FROM appliances WHERE appliances.id = components.appliance_id AND appliances.install_year <> components.install_year;
