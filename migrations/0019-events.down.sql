-- The trail keeps what subscribers did, as acts of the service.
UPDATE audit_event SET actor = 'service' WHERE actor = 'subscriber';
ALTER TABLE audit_event
  DROP CONSTRAINT audit_event_actor_check,
  ADD CONSTRAINT audit_event_actor_check
    CHECK (actor IN ('touchpoint', 'consumer', 'cli', 'service', 'operator')) NOT VALID;
DROP TABLE subscriber_key, subscriber, event, consumer_version, event_head, event_pending;
