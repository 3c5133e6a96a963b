-- The trail keeps what operators did, as acts of the command line.
UPDATE audit_event SET actor = 'cli' WHERE actor = 'operator';
ALTER TABLE audit_event
  DROP CONSTRAINT audit_event_actor_check,
  ADD CONSTRAINT audit_event_actor_check CHECK (actor IN ('touchpoint', 'consumer', 'cli', 'service')) NOT VALID;
DROP TABLE spent_form, operator_session, sign_in_link, operator;
