UPDATE audit_event SET details = details || jsonb_build_object('reason', reason) WHERE type = 'message.given-up';

ALTER TABLE audit_event
  DROP COLUMN actor,
  DROP COLUMN operator,
  DROP COLUMN touchpoint,
  DROP COLUMN request_id,
  DROP COLUMN outcome,
  DROP COLUMN reason,
  DROP COLUMN count;
