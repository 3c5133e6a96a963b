CREATE TABLE touchpoint (
  id uuid CONSTRAINT touchpoint_pkey PRIMARY KEY,
  code text NOT NULL CONSTRAINT touchpoint_code_key UNIQUE,
  name text NOT NULL,
  authentication_mode text NOT NULL
    CONSTRAINT touchpoint_authentication_mode_check CHECK (authentication_mode IN ('PASSWORD', 'OTP')),
  channel_proof text NOT NULL
    CONSTRAINT touchpoint_channel_proof_check CHECK (channel_proof IN ('NONE', 'EMAIL', 'SMS')),
  enabled boolean NOT NULL,
  -- Both null: the service's own limits. A limit of 0 is unlimited.
  rate_limit integer,
  rate_limit_seconds integer,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT touchpoint_rate_limit_check
    CHECK ((rate_limit IS NULL) = (rate_limit_seconds IS NULL) AND rate_limit >= 0 AND rate_limit_seconds > 0)
);

CREATE TABLE touchpoint_key (
  id uuid CONSTRAINT touchpoint_key_pkey PRIMARY KEY,
  touchpoint_id uuid NOT NULL
    CONSTRAINT touchpoint_key_touchpoint_id_fkey REFERENCES touchpoint (id) ON DELETE CASCADE,
  digest bytea NOT NULL,
  hint text NOT NULL,
  created_at timestamptz NOT NULL,
  -- Null for the present key; the end of the overlap for the one before it.
  expires_at timestamptz,
  last_used_at timestamptz
);

CREATE INDEX touchpoint_key_touchpoint_id_idx ON touchpoint_key (touchpoint_id);
