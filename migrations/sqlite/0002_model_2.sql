-- What scores of model 2 keep of a component (`docs/operating.md`, scores). A row that model 1 has scored reads as a
-- component of that age and evidence without a sensor's alarm, until the next snapshot scores it anew.
ALTER TABLE components RENAME COLUMN prior_age_years TO effective_age_years;
ALTER TABLE components RENAME COLUMN evidence_ratio TO hazard_ratio;
ALTER TABLE components RENAME COLUMN probability TO acute_hazard;
ALTER TABLE components ADD COLUMN life_factor REAL NOT NULL DEFAULT 1;
UPDATE components SET acute_hazard = 0;

-- The model whose scores a snapshot took, of the runs so far the first, and the tier changes that were not announced
-- because another model than in the run before made them.
ALTER TABLE snapshot_runs ADD COLUMN model_version TEXT NOT NULL DEFAULT '1';
ALTER TABLE snapshot_runs ADD COLUMN held_back INTEGER NOT NULL DEFAULT 0;

-- The day from which a property's service record is complete: back from its registration over the events of its
-- appliances, as long as no gap exceeds three years.
ALTER TABLE properties ADD COLUMN records_since TEXT NOT NULL DEFAULT '';
ALTER TABLE properties ADD COLUMN records_since_given INTEGER NOT NULL DEFAULT 0;
UPDATE properties SET records_since = date(created_at / 1000, 'unixepoch');
UPDATE properties SET records_since = reached.since
FROM (
  SELECT property_id, min(day) AS since
  FROM (
    SELECT property_id, day, sum(breaks) OVER (PARTITION BY property_id ORDER BY day DESC) AS broken
    FROM (
      SELECT property_id, day,
        julianday(lag(day) OVER (PARTITION BY property_id ORDER BY day DESC)) - julianday(day) > 1096 AS breaks
      FROM (
        SELECT id AS property_id, records_since AS day FROM properties
        UNION
        SELECT e.property_id, e.date FROM service_events e JOIN properties p ON p.id = e.property_id
        WHERE e.date < p.records_since
      )
    )
  )
  WHERE coalesce(broken, 0) = 0
  GROUP BY property_id
) AS reached
WHERE reached.property_id = properties.id;
