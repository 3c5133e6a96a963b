-- Since when nobody may act as the consumer. Nullable and without a default, so that no row is rewritten.
ALTER TABLE consumer ADD COLUMN disabled_at timestamptz;
