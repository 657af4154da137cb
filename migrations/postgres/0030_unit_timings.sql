-- When an appliance that is replaced as a whole is due, so that a list tells what to do with a component from its row.
ALTER TABLE appliances ADD COLUMN unit_timing text COLLATE "C";

-- Those of appliances that exist already are computed with the sums that follow from prices.
UPDATE price_basis SET basis = '';
