-- The last day for which what is due of an appliance holds if its parts only age, so that a snapshot need not decide it again.
ALTER TABLE appliances ADD COLUMN due_holds_until TEXT;
