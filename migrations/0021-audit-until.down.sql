ALTER TABLE audit_event DROP CONSTRAINT IF EXISTS audit_event_until;
