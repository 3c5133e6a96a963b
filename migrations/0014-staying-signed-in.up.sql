-- Each column is nullable and has no default, so that no row is rewritten.

-- How long sessions may last in all and unused, in seconds. Null: the lifetime of a token, and as long as they last.
ALTER TABLE touchpoint
  ADD COLUMN session_max_seconds integer,
  ADD COLUMN session_idle_seconds integer,
  ADD CONSTRAINT touchpoint_session_max_check CHECK (session_max_seconds BETWEEN 1800 AND 7776000),
  ADD CONSTRAINT touchpoint_session_idle_check CHECK (
    session_idle_seconds IS NULL OR (session_idle_seconds >= 300 AND session_idle_seconds <= COALESCE(session_max_seconds, 0)));

ALTER TABLE session
  -- The last use that is recorded, some minutes late at most. Null: none since it was opened.
  ADD COLUMN last_used_at timestamptz,
  -- Unused for so many seconds it ends, where that is less than the lifetime of a token.
  ADD COLUMN idle_seconds integer;

-- Since when nobody may act as the consumer.
ALTER TABLE consumer ADD COLUMN disabled_at timestamptz;
