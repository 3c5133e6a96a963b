-- What came of the requests that carried an `Idempotency-Key`, for their retries.
CREATE TABLE idempotency_record (
  -- The lease of the request that holds the key: whoever takes the key over changes it.
  id uuid CONSTRAINT idempotency_record_pkey PRIMARY KEY,
  touchpoint_id uuid NOT NULL
    CONSTRAINT idempotency_record_touchpoint_id_fkey REFERENCES touchpoint (id) ON DELETE CASCADE,
  -- Keyed digests.
  key_digest bytea NOT NULL,
  request_digest bytea NOT NULL,
  -- Null while the first request runs. `json`, which keeps the order of members, and no password or token.
  outcome json,
  -- Whose session it was: with the consumer goes the record.
  consumer_id uuid CONSTRAINT idempotency_record_consumer_id_fkey REFERENCES consumer (id) ON DELETE CASCADE,
  lease_expires_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT idempotency_record_touchpoint_id_key_digest_key UNIQUE (touchpoint_id, key_digest)
);

CREATE INDEX idempotency_record_consumer_id_idx ON idempotency_record (consumer_id);
CREATE INDEX idempotency_record_expires_at_idx ON idempotency_record (expires_at);
