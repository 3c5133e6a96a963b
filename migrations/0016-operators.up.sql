-- Who may use the administration console, and how they sign in.
CREATE TABLE operator (
  id uuid CONSTRAINT operator_pkey PRIMARY KEY,
  email text NOT NULL CONSTRAINT operator_email_key UNIQUE,
  role text NOT NULL CONSTRAINT operator_role_check CHECK (role IN ('AUDITOR', 'SUPPORT', 'OPERATOR', 'ADMIN')),
  created_at timestamptz NOT NULL,
  -- Null: may sign in.
  disabled_at timestamptz
);

CREATE TABLE sign_in_link (
  -- SHA-256 of the token in the link.
  digest bytea CONSTRAINT sign_in_link_pkey PRIMARY KEY,
  operator_id uuid NOT NULL CONSTRAINT sign_in_link_operator_id_fkey REFERENCES operator (id) ON DELETE CASCADE,
  expires_at timestamptz NOT NULL
);
CREATE INDEX sign_in_link_operator_id_idx ON sign_in_link (operator_id);
CREATE INDEX sign_in_link_expires_at_idx ON sign_in_link (expires_at);

CREATE TABLE operator_session (
  -- Names the session in the list of sessions.
  id uuid CONSTRAINT operator_session_pkey PRIMARY KEY,
  -- SHA-256 of the cookie.
  digest bytea NOT NULL CONSTRAINT operator_session_digest_key UNIQUE,
  operator_id uuid NOT NULL CONSTRAINT operator_session_operator_id_fkey REFERENCES operator (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz NOT NULL
);
CREATE INDEX operator_session_operator_id_idx ON operator_session (operator_id);
CREATE INDEX operator_session_created_at_idx ON operator_session (created_at);

-- Forms that have been sent, so that one that is sent twice does one thing.
CREATE TABLE spent_form (
  id uuid CONSTRAINT spent_form_pkey PRIMARY KEY,
  spent_at timestamptz NOT NULL
);
CREATE INDEX spent_form_spent_at_idx ON spent_form (spent_at);

-- What the console does is recorded too. Not validated: older rows satisfy the narrower check that it replaces.
ALTER TABLE audit_event
  DROP CONSTRAINT audit_event_actor_check,
  ADD CONSTRAINT audit_event_actor_check
    CHECK (actor IN ('touchpoint', 'consumer', 'cli', 'service', 'operator')) NOT VALID;
