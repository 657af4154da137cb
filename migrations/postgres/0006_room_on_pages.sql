-- Each snapshot ages every component, and moves the scores of few. A page with room for the new version of each of its
-- rows takes them without a new entry in any index. Soon vacuumed, alerts are counted from an index alone again: by the
-- usual 0.2 the last fifth of a snapshot's pages would wait for the next day's.
ALTER TABLE components SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
