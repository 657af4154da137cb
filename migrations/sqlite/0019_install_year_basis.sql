-- 'year_built' where the install year is the building's, since the partner gave none.
ALTER TABLE appliances ADD COLUMN install_year_basis TEXT NOT NULL DEFAULT 'given';
