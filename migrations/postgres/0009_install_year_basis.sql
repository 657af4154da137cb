-- 'year_built' where the install year is the building's, since the partner gave none.
ALTER TABLE appliances ADD COLUMN install_year_basis text COLLATE "C" NOT NULL DEFAULT 'given';
