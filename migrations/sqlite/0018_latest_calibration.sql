-- The latest calibration that was requested: at most one row. Until now its state was put together from the audit log.
CREATE TABLE latest_calibration (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  status TEXT NOT NULL,
  -- Who requested it; NULL if the calibration that was activated is older than these records.
  requested_by TEXT,
  actor TEXT,
  started_at INTEGER,
  finished_at INTEGER,
  error TEXT,
  -- What it has stored: the proposal, NULL if it was activated at once, and the version that it is or would be.
  proposal_id TEXT,
  model_version TEXT,
  -- The version that was activated since it started, which may be an older calibration's.
  activated_version TEXT
) STRICT;
WITH
  entries AS (SELECT seq, at, actor, action, detail FROM audit_log WHERE subject = 'fit'),
  newest AS (SELECT * FROM entries ORDER BY seq DESC LIMIT 1),
  begun AS (SELECT * FROM entries WHERE action = 'fit.begin' ORDER BY seq DESC LIMIT 1),
  later AS (SELECT * FROM entries WHERE seq > coalesce((SELECT seq FROM begun), 0)),
  ended AS (SELECT * FROM later WHERE action IN ('fit.finish', 'fit.fail') ORDER BY seq DESC LIMIT 1),
  activated AS (SELECT * FROM later WHERE action = 'fit.apply' ORDER BY seq DESC LIMIT 1)
INSERT INTO latest_calibration
SELECT
  1,
  CASE
    WHEN newest.action = 'fit.begin' THEN 'running'
    WHEN newest.action = 'fit.fail' THEN 'failed'
    WHEN newest.action = 'fit.apply' OR ended.detail ->> 'proposal_id' IS NULL THEN 'applied'
    ELSE 'ready'
  END,
  begun.detail ->> 'by',
  begun.actor,
  begun.at,
  ended.at,
  ended.detail ->> 'error',
  ended.detail ->> 'proposal_id',
  ended.detail ->> 'model_version',
  CASE
    WHEN activated.seq IS NOT NULL THEN activated.detail ->> 'model_version'
    WHEN ended.detail ->> 'proposal_id' IS NULL THEN ended.detail ->> 'model_version'
  END
FROM newest LEFT JOIN begun ON true LEFT JOIN ended ON true LEFT JOIN activated ON true;
