-- Reads the whole table, and lets others write to it meanwhile.
ALTER TABLE audit_event VALIDATE CONSTRAINT audit_event_until, VALIDATE CONSTRAINT audit_event_actor_check;
