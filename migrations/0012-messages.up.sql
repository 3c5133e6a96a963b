-- Messages to consumers until they have been handed over, and for a while those that never were.
CREATE TABLE message (
  id uuid CONSTRAINT message_pkey PRIMARY KEY,
  channel text NOT NULL CONSTRAINT message_channel_check CHECK (channel IN ('email', 'sms')),
  kind text NOT NULL,
  -- Everything that tells of a person, sealed to the id, and the name of the key that sealed it.
  sealed text NOT NULL,
  key text NOT NULL,
  -- The code of the touchpoint by which it was caused: those whose messages wait take turns. Empty: none.
  touchpoint text NOT NULL DEFAULT '',
  priority smallint NOT NULL,
  -- When what it says is of no use any more: that of a code.
  expires_at timestamptz,
  state text NOT NULL DEFAULT 'queued'
    CONSTRAINT message_state_check CHECK (state IN ('queued', 'sending', 'retrying', 'failed', 'expired')),
  attempts integer NOT NULL DEFAULT 0,
  -- Why the last attempt failed.
  reason text,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- When it may be taken: for the next attempt, or from a process that has died with it. Null: never again.
  due_at timestamptz DEFAULT now(),
  -- Until when a message that was given up, or has expired, is kept.
  kept_until timestamptz
);

-- Finds the due messages of each touchpoint and priority without reading the others.
CREATE INDEX message_turns_idx ON message (channel, touchpoint, priority, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX message_kept_until_idx ON message (kept_until) WHERE kept_until IS NOT NULL;

-- When each job that the service does by itself was last begun, by whichever replica, and what came of it.
CREATE TABLE scheduled_job (
  name text CONSTRAINT scheduled_job_pkey PRIMARY KEY,
  begun_at timestamptz NOT NULL,
  -- Null while it runs, and when its process died.
  outcome text CONSTRAINT scheduled_job_outcome_check CHECK (outcome IN ('done', 'failed'))
);

-- The version before kept messages in the tables of a package. They move, under their ids, to which they are sealed.
DO $$
BEGIN
  IF to_regclass('pgboss.job') IS NULL THEN
    RETURN;
  END IF;
  -- Whoever is just adding a message there has finished then, so that none is missed.
  LOCK TABLE pgboss.job IN ACCESS EXCLUSIVE MODE;
  INSERT INTO message (id, channel, kind, sealed, key, touchpoint, priority, expires_at, state, attempts, reason,
      created_at, due_at, kept_until)
    SELECT id, substr(name, length('message-') + 1), data ->> 'kind', data ->> 'sealed', data ->> 'key',
      COALESCE(singleton_key, ''), priority,
      COALESCE((data ->> 'expiresAt')::timestamptz,
        CASE WHEN data ->> 'kind' = 'verification-code' THEN created_on + interval '10 minutes' END),
      CASE state WHEN 'created' THEN 'queued' WHEN 'active' THEN 'sending' WHEN 'retry' THEN 'retrying'
        WHEN 'failed' THEN 'failed' ELSE 'expired' END,
      CASE WHEN started_on IS NULL THEN 0 ELSE retry_count + 1 END,
      output ->> 'reason',
      created_on,
      CASE WHEN state = 'active' THEN started_on + expire_in WHEN state < 'active' THEN start_after END,
      CASE WHEN state = 'failed' THEN completed_on + interval '30 days'
        WHEN state = 'cancelled' THEN completed_on + interval '2 days' END
    FROM pgboss.job
    WHERE name IN ('message-email', 'message-sms') AND state <> 'completed';
  DROP SCHEMA pgboss CASCADE;
END
$$;
