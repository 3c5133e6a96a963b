-- The first of three steps that partition the trail by month while it is written: the table as it is becomes the partition
-- of what comes before this time.
DO $$
DECLARE
  latest timestamptz := greatest(now(), (SELECT max(occurred_at) FROM audit_event));
BEGIN
  EXECUTE format('ALTER TABLE audit_event ADD CONSTRAINT audit_event_until CHECK (occurred_at < %L) NOT VALID',
    (date_trunc('month', latest AT TIME ZONE 'UTC') + interval '2 months') AT TIME ZONE 'UTC');
END $$;
