-- What acts write in their own transactions: events that have been committed, or may still be, and have no position yet.
CREATE TABLE event_pending (
  -- Drawn in order: of two acts, one after the other, the earlier has the lower number.
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT event_pending_pkey PRIMARY KEY,
  event_id uuid NOT NULL DEFAULT gen_random_uuid(),
  type text NOT NULL,
  occurred_at timestamptz NOT NULL,
  consumer_id uuid NOT NULL,
  -- The code of the touchpoint where it happened; null for acts of administration.
  touchpoint text,
  data jsonb NOT NULL
);

-- The log that subscribers read: every event once, without gaps. Whoever numbers events holds the lock of this one row.
CREATE TABLE event_head (
  id boolean CONSTRAINT event_head_pkey PRIMARY KEY DEFAULT true CONSTRAINT event_head_id_check CHECK (id),
  -- Of the last event that has one.
  position bigint NOT NULL,
  -- Events up to this position are no longer kept.
  floor bigint NOT NULL,
  numbered_at timestamptz NOT NULL
);
INSERT INTO event_head (position, floor, numbered_at) VALUES (0, 0, now());

-- How many events each consumer has had.
CREATE TABLE consumer_version (
  consumer_id uuid CONSTRAINT consumer_version_pkey PRIMARY KEY,
  version bigint NOT NULL,
  -- Where the log tells of the erasure, so that it can be shown who has read that; it outlives the event.
  erased_position bigint
);
CREATE INDEX consumer_version_erased_position_idx ON consumer_version (erased_position)
  WHERE erased_position IS NOT NULL;

CREATE TABLE event (
  position bigint NOT NULL,
  -- Never falls while positions rise; by it the table is partitioned.
  numbered_at timestamptz NOT NULL,
  id uuid NOT NULL,
  type text NOT NULL,
  occurred_at timestamptz NOT NULL,
  consumer_id uuid NOT NULL,
  consumer_version bigint NOT NULL,
  touchpoint text,
  data jsonb NOT NULL,
  CONSTRAINT event_pkey PRIMARY KEY (position, numbered_at)
) PARTITION BY RANGE (numbered_at);
CREATE INDEX event_numbered_at_idx ON event (numbered_at);

-- Other systems of the business that read the log.
CREATE TABLE subscriber (
  id uuid CONSTRAINT subscriber_pkey PRIMARY KEY,
  code text NOT NULL CONSTRAINT subscriber_code_key UNIQUE,
  enabled boolean NOT NULL,
  -- Empty: every type that is about consumers, and none that is about sessions.
  types text[] NOT NULL,
  -- Empty: wherever it happened.
  touchpoints text[] NOT NULL,
  reads_consumers boolean NOT NULL,
  -- Up to here it has processed the log, of which it was never told what lies up to begins_after.
  acknowledged bigint NOT NULL,
  begins_after bigint NOT NULL,
  acknowledged_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE TABLE subscriber_key (
  id uuid CONSTRAINT subscriber_key_pkey PRIMARY KEY,
  subscriber_id uuid NOT NULL
    CONSTRAINT subscriber_key_subscriber_id_fkey REFERENCES subscriber (id) ON DELETE CASCADE,
  digest bytea NOT NULL,
  hint text NOT NULL,
  created_at timestamptz NOT NULL,
  -- Null for the present key; the end of the overlap for the one before it.
  expires_at timestamptz,
  last_used_at timestamptz
);
CREATE INDEX subscriber_key_subscriber_id_idx ON subscriber_key (subscriber_id);

-- What subscribers do is recorded too. Not validated: older rows satisfy the narrower check that it replaces.
ALTER TABLE audit_event
  DROP CONSTRAINT audit_event_actor_check,
  ADD CONSTRAINT audit_event_actor_check
    CHECK (actor IN ('touchpoint', 'consumer', 'cli', 'service', 'operator', 'subscriber')) NOT VALID;

-- The first partitions, one a month in UTC; the service makes those that follow.
DO $$
DECLARE
  month timestamp;
BEGIN
  FOR ahead IN 0..2 LOOP
    month := date_trunc('month', now() AT TIME ZONE 'UTC') + ahead * interval '1 month';
    EXECUTE format('CREATE TABLE %I PARTITION OF event FOR VALUES FROM (%L) TO (%L)',
      to_char(month, '"event_"YYYY_MM'), month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
  END LOOP;
END $$;
