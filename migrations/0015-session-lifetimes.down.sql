-- Sessions last as long as their first token again.
DELETE FROM session WHERE idle_seconds IS NOT NULL;
ALTER TABLE session DROP COLUMN last_used_at, DROP COLUMN idle_seconds;
ALTER TABLE touchpoint DROP COLUMN session_max_seconds, DROP COLUMN session_idle_seconds;
