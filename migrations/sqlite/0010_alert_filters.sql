-- What alerts are filtered by, beside their scores. A type's system is the knowledge base's when this was written; new
-- components get theirs from it.
ALTER TABLE components ADD COLUMN system TEXT NOT NULL DEFAULT '';
ALTER TABLE components ADD COLUMN state TEXT NOT NULL DEFAULT '';
UPDATE components SET
  state = (SELECT state FROM properties WHERE properties.id = components.property_id),
  system = (
    SELECT CASE
      WHEN type_id IN ('boiler', 'furnace_gas', 'hvac_central', 'hvac_heat_pump', 'hvac_mini_split', 'ptac', 'rooftop_unit') THEN 'hvac'
      WHEN type_id IN ('plumbing_drain', 'plumbing_supply', 'sump_pump', 'water_heater_electric', 'water_heater_gas', 'water_heater_tankless') THEN 'plumbing'
      WHEN type_id IN ('electrical_panel', 'generator') THEN 'electrical'
      WHEN type_id IN ('exterior_envelope', 'parking_lot', 'roof') THEN 'structural'
      WHEN type_id IN ('fire_alarm', 'fire_suppression') THEN 'life_safety'
      WHEN type_id = 'elevator' THEN 'conveyance'
      WHEN type_id = 'pool_equipment' THEN 'amenity'
      ELSE 'appliance'
    END FROM appliances WHERE appliances.id = components.appliance_id
  );
CREATE INDEX components_system ON components (partner_id, system, risk_score DESC, seq) WHERE risk_score >= 52;
CREATE INDEX components_state ON components (partner_id, state, risk_score DESC, seq, system) WHERE risk_score >= 52;
