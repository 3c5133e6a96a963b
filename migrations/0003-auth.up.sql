CREATE TABLE identifier (
  id uuid CONSTRAINT identifier_pkey PRIMARY KEY,
  consumer_id uuid NOT NULL
    CONSTRAINT identifier_consumer_id_fkey REFERENCES consumer (id) ON DELETE CASCADE,
  kind text NOT NULL CONSTRAINT identifier_kind_check CHECK (kind IN ('email', 'phone')),
  value text NOT NULL,
  -- A pending identifier is what the consumer wants; a present one is what the consumer has.
  pending boolean NOT NULL,
  verified_at timestamptz,
  CONSTRAINT identifier_pending_check CHECK (NOT pending OR verified_at IS NULL),
  CONSTRAINT identifier_consumer_id_kind_pending_key UNIQUE (consumer_id, kind, pending)
);

CREATE UNIQUE INDEX identifier_value_key ON identifier (value, kind) WHERE NOT pending;
CREATE INDEX identifier_pending_value_idx ON identifier (value, kind) WHERE pending;

CREATE TABLE credential (
  consumer_id uuid CONSTRAINT credential_pkey PRIMARY KEY
    CONSTRAINT credential_consumer_id_fkey REFERENCES consumer (id) ON DELETE CASCADE,
  password_hash text NOT NULL,
  -- Grows when the password changes, and stays when the same password is hashed anew.
  version integer NOT NULL DEFAULT 1
);

CREATE TABLE session (
  id uuid CONSTRAINT session_pkey PRIMARY KEY,
  consumer_id uuid NOT NULL
    CONSTRAINT session_consumer_id_fkey REFERENCES consumer (id) ON DELETE CASCADE,
  touchpoint_id uuid NOT NULL
    CONSTRAINT session_touchpoint_id_fkey REFERENCES touchpoint (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz
);

CREATE INDEX session_consumer_id_idx ON session (consumer_id);
CREATE INDEX session_touchpoint_id_idx ON session (touchpoint_id);
CREATE INDEX session_expires_at_idx ON session (expires_at);

CREATE TABLE login_attempt (
  -- Keyed digest of an identifier, an identifier at a known address, or an address.
  key bytea CONSTRAINT login_attempt_pkey PRIMARY KEY,
  failures integer NOT NULL,
  window_ends_at timestamptz NOT NULL
);

CREATE INDEX login_attempt_window_ends_at_idx ON login_attempt (window_ends_at);

CREATE TABLE known_address (
  consumer_id uuid NOT NULL
    CONSTRAINT known_address_consumer_id_fkey REFERENCES consumer (id) ON DELETE CASCADE,
  -- Keyed digest: the address itself is not kept.
  address_digest bytea NOT NULL,
  last_login_at timestamptz NOT NULL,
  CONSTRAINT known_address_pkey PRIMARY KEY (consumer_id, address_digest)
);

CREATE INDEX known_address_last_login_at_idx ON known_address (last_login_at);
