-- How long the sessions of a touchpoint can be extended, and how long they may stay unused.
ALTER TABLE touchpoint
  ADD COLUMN session_max_seconds integer,
  ADD COLUMN session_idle_seconds integer,
  ADD CONSTRAINT touchpoint_session_max_check CHECK (session_max_seconds BETWEEN 1800 AND 7776000),
  ADD CONSTRAINT touchpoint_session_idle_check CHECK (
    session_idle_seconds IS NULL
    OR session_idle_seconds >= 300 AND session_max_seconds IS NOT NULL AND session_idle_seconds <= session_max_seconds
  );
-- Nullable and without defaults, so that no row is rewritten and the version before can go on inserting.
ALTER TABLE session ADD COLUMN last_used_at timestamptz, ADD COLUMN idle_seconds integer;
