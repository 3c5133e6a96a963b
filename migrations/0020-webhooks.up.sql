-- Where events are pushed to; how far that is stands with the subscriber.
CREATE TABLE webhook (
  subscriber_id uuid CONSTRAINT webhook_pkey PRIMARY KEY
    CONSTRAINT webhook_subscriber_id_fkey REFERENCES subscriber (id) ON DELETE CASCADE,
  url text NOT NULL,
  -- What signs, encrypted with a key from APP_SECRET, and the name of that key.
  secret text NOT NULL,
  secret_key text NOT NULL,
  -- The one before it, which signs too until this time.
  former_secret text,
  former_secret_key text,
  former_until timestamptz,
  -- Not to be asked before this time: it waits after a failure, or a process sends.
  due_at timestamptz NOT NULL,
  -- Failures in a row, since when, and why the last one.
  failures integer NOT NULL,
  failing_since timestamptz,
  reason text,
  -- Not null: it has failed for too long.
  disabled_at timestamptz
);
