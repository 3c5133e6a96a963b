-- Disabled consumers may act again. Sessions end with the token that they have.
ALTER TABLE consumer DROP COLUMN disabled_at;
ALTER TABLE session DROP COLUMN idle_seconds, DROP COLUMN last_used_at;
ALTER TABLE touchpoint DROP COLUMN session_idle_seconds, DROP COLUMN session_max_seconds;
