-- What happened to whom; rows are only ever added. No secrets, and addresses only masked.
CREATE TABLE audit_event (
  id uuid CONSTRAINT audit_event_pkey PRIMARY KEY,
  occurred_at timestamptz NOT NULL,
  type text NOT NULL,
  -- No foreign key: the trail outlives the consumer.
  consumer_id uuid,
  details jsonb NOT NULL
);

CREATE INDEX audit_event_occurred_at_idx ON audit_event (occurred_at);
CREATE INDEX audit_event_consumer_id_idx ON audit_event (consumer_id);
