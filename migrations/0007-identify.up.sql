-- Whose assertions a touchpoint may bring, and the keys that they must be signed with.
CREATE TABLE identity_provider (
  id uuid CONSTRAINT identity_provider_pkey PRIMARY KEY,
  touchpoint_id uuid NOT NULL
    CONSTRAINT identity_provider_touchpoint_id_fkey REFERENCES touchpoint (id) ON DELETE CASCADE,
  issuer text NOT NULL,
  audience text NOT NULL,
  -- Where the keys are, or the keys themselves.
  jwks_uri text,
  jwks jsonb,
  trusts_email boolean NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT identity_provider_keys_check CHECK ((jwks_uri IS NULL) <> (jwks IS NULL)),
  CONSTRAINT identity_provider_touchpoint_id_issuer_key UNIQUE (touchpoint_id, issuer)
);

-- Who a consumer is elsewhere.
CREATE TABLE external_identity (
  issuer text NOT NULL,
  subject text NOT NULL,
  consumer_id uuid NOT NULL
    CONSTRAINT external_identity_consumer_id_fkey REFERENCES consumer (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  CONSTRAINT external_identity_pkey PRIMARY KEY (issuer, subject)
);

CREATE INDEX external_identity_consumer_id_idx ON external_identity (consumer_id);

-- Each assertion works once.
CREATE TABLE used_assertion (
  -- SHA-256 of what was signed.
  digest bytea CONSTRAINT used_assertion_pkey PRIMARY KEY,
  expires_at timestamptz NOT NULL
);

CREATE INDEX used_assertion_expires_at_idx ON used_assertion (expires_at);
