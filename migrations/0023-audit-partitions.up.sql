-- Changes names and bounds alone: no row is read or moved.
-- The table that takes the place of the old one has its name before the transaction ends.
-- squawk-ignore renaming-table
ALTER TABLE audit_event RENAME TO audit_event_before;
ALTER TABLE audit_event_before RENAME CONSTRAINT audit_event_pkey TO audit_event_before_pkey;
ALTER INDEX audit_event_occurred_at_idx RENAME TO audit_event_before_occurred_at_idx;
ALTER INDEX audit_event_consumer_id_idx RENAME TO audit_event_before_consumer_id_idx;
ALTER INDEX audit_event_request_id_idx RENAME TO audit_event_before_request_id_idx;
ALTER INDEX audit_event_touchpoint_occurred_at_idx RENAME TO audit_event_before_touchpoint_occurred_at_idx;

-- It has no key, which would have to contain the time; each partition has one.
CREATE TABLE audit_event (LIKE audit_event_before INCLUDING DEFAULTS INCLUDING CONSTRAINTS)
  PARTITION BY RANGE (occurred_at);
ALTER TABLE audit_event DROP CONSTRAINT audit_event_until;
CREATE INDEX audit_event_occurred_at_idx ON audit_event (occurred_at);
CREATE INDEX audit_event_consumer_id_idx ON audit_event (consumer_id);
CREATE INDEX audit_event_request_id_idx ON audit_event (request_id);
CREATE INDEX audit_event_touchpoint_occurred_at_idx ON audit_event (touchpoint, occurred_at);

-- No act may fail because its month is missing, whatever the clock says.
CREATE TABLE audit_event_rest (LIKE audit_event INCLUDING ALL, CONSTRAINT audit_event_rest_pkey PRIMARY KEY (id));
ALTER TABLE audit_event ATTACH PARTITION audit_event_rest DEFAULT;

-- A service of the version before would delete what is old by row numbers, which every partition counts anew.
CREATE FUNCTION audit_event_keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of audit_event go with their month';
END $$;
CREATE TRIGGER audit_event_keep BEFORE DELETE ON audit_event FOR EACH STATEMENT EXECUTE FUNCTION audit_event_keep();

DO $$
DECLARE
  month timestamp := date_trunc('month', now() AT TIME ZONE 'UTC');
  until timestamptz;
BEGIN
  IF EXISTS (SELECT FROM audit_event_before) THEN
    SELECT substring(pg_get_constraintdef(oid) FROM '''([^'']+)''')::timestamptz INTO STRICT until
      FROM pg_constraint WHERE conrelid = 'audit_event_before'::regclass AND conname = 'audit_event_until';
    EXECUTE format('ALTER TABLE audit_event ATTACH PARTITION audit_event_before FOR VALUES FROM (MINVALUE) TO (%L)', until);
    ALTER TABLE audit_event_before DROP CONSTRAINT audit_event_until;
    month := until AT TIME ZONE 'UTC';
  ELSE
    DROP TABLE audit_event_before;
  END IF;
  -- The service makes those that follow.
  FOR ahead IN 0..2 LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF audit_event (PRIMARY KEY (id)) FOR VALUES FROM (%L) TO (%L)',
      to_char(month, '"audit_event_"YYYY_MM'), month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
    month := month + interval '1 month';
  END LOOP;
END $$;
