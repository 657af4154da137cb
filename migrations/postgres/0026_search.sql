-- Searches by the beginning of a name, an address, a street, a serial or claim number, whatever its case.
CREATE INDEX properties_search_name ON properties (partner_id, lower(name), seq) WHERE seq > 0;
CREATE INDEX properties_search_address ON properties (partner_id, lower(address), seq) WHERE seq > 0;
CREATE INDEX properties_search_street ON properties (partner_id, ltrim(lower(address), '0123456789-/ '), seq) WHERE seq > 0;
CREATE INDEX appliances_search_serial ON appliances (partner_id, lower(serial), seq) WHERE serial IS NOT NULL AND seq > 0;
CREATE INDEX claims_search_number ON claims (partner_id, lower(claim_number), id) WHERE claim_number IS NOT NULL;
