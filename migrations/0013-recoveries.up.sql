-- A code that was sent to an address, so that whoever reads it there can choose a new password.
CREATE TABLE recovery (
  id uuid CONSTRAINT recovery_pkey PRIMARY KEY,
  touchpoint_id uuid NOT NULL
    CONSTRAINT recovery_touchpoint_id_fkey REFERENCES touchpoint (id) ON DELETE CASCADE,
  -- Whose account it recovers, and by which identifier: with that it ends. Both null: nobody's, and no guess is right.
  consumer_id uuid CONSTRAINT recovery_consumer_id_fkey REFERENCES consumer (id) ON DELETE CASCADE,
  identifier_id uuid CONSTRAINT recovery_identifier_id_fkey REFERENCES identifier (id) ON DELETE CASCADE,
  -- The consumer had not proven the identifier when this began.
  claimed boolean NOT NULL,
  channel text NOT NULL CONSTRAINT recovery_channel_check CHECK (channel IN ('email', 'sms')),
  destination text NOT NULL,
  -- Keyed digest.
  code_digest bytea NOT NULL,
  attempts integer NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT recovery_identifier_id_check CHECK ((consumer_id IS NULL) = (identifier_id IS NULL))
);

CREATE INDEX recovery_consumer_id_idx ON recovery (consumer_id);
CREATE INDEX recovery_identifier_id_idx ON recovery (identifier_id);
CREATE INDEX recovery_touchpoint_id_idx ON recovery (touchpoint_id);
CREATE INDEX recovery_expires_at_idx ON recovery (expires_at);

-- An outcome outlives its consumer, and is then nobody's: its request must not be performed again.
ALTER TABLE idempotency_record
  DROP CONSTRAINT idempotency_record_consumer_id_fkey,
  ADD CONSTRAINT idempotency_record_consumer_id_fkey FOREIGN KEY (consumer_id) REFERENCES consumer (id) ON DELETE SET NULL;
