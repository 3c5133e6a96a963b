-- Disabled consumers may act again.
ALTER TABLE consumer DROP COLUMN disabled_at;
