-- A code that was sent to an address, to prove that whoever has the code reads what is sent there.
CREATE TABLE challenge (
  id uuid CONSTRAINT challenge_pkey PRIMARY KEY,
  -- Who may answer it: a consumer, or else whoever began a registration at this touchpoint.
  consumer_id uuid CONSTRAINT challenge_consumer_id_fkey REFERENCES consumer (id) ON DELETE CASCADE,
  touchpoint_id uuid CONSTRAINT challenge_touchpoint_id_fkey REFERENCES touchpoint (id) ON DELETE CASCADE,
  channel text NOT NULL CONSTRAINT challenge_channel_check CHECK (channel IN ('email', 'sms')),
  destination text NOT NULL,
  -- Null when no code was sent, because the address has an account: no guess is right.
  code_digest bytea,
  attempts integer NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT challenge_subject_check CHECK ((consumer_id IS NULL) <> (touchpoint_id IS NULL)),
  CONSTRAINT challenge_consumer_id_channel_key UNIQUE (consumer_id, channel)
);

CREATE INDEX challenge_touchpoint_id_destination_idx ON challenge (touchpoint_id, destination);
CREATE INDEX challenge_expires_at_idx ON challenge (expires_at);

-- What a registration holds until its channel is proven. Nothing of it is a consumer yet.
CREATE TABLE pending_registration (
  challenge_id uuid CONSTRAINT pending_registration_pkey PRIMARY KEY
    CONSTRAINT pending_registration_challenge_id_fkey REFERENCES challenge (id) ON DELETE CASCADE,
  registration jsonb NOT NULL
);

CREATE TABLE send_limit (
  -- Keyed digest of a channel and an address.
  key bytea CONSTRAINT send_limit_pkey PRIMARY KEY,
  -- The last five sends, oldest first.
  sent_at timestamptz[] NOT NULL,
  last_sent_at timestamptz NOT NULL
);

CREATE INDEX send_limit_last_sent_at_idx ON send_limit (last_sent_at);
