-- Who asked for what, by which request, and what came of it. The defaults are for a replica of the version before, whose
-- lost messages count as done until it is replaced.
ALTER TABLE audit_event
  ADD COLUMN actor text NOT NULL DEFAULT 'service',
  -- Who ran the command, when the actor is one.
  ADD COLUMN operator text,
  -- The touchpoint concerned, by its code: the trail outlives it.
  ADD COLUMN touchpoint text,
  ADD COLUMN request_id text,
  ADD COLUMN outcome text NOT NULL DEFAULT 'done',
  ADD COLUMN reason text,
  -- How many equal refusals this row stands for.
  ADD COLUMN count integer NOT NULL DEFAULT 1,
  ADD CONSTRAINT audit_event_actor_check CHECK (actor IN ('touchpoint', 'consumer', 'cli', 'service')),
  ADD CONSTRAINT audit_event_outcome_check CHECK (outcome IN ('done', 'refused', 'failed'));

UPDATE audit_event SET outcome = 'failed', reason = details ->> 'reason', details = details - 'reason'
  WHERE type = 'message.given-up';

CREATE INDEX audit_event_request_id_idx ON audit_event (request_id);
CREATE INDEX audit_event_touchpoint_occurred_at_idx ON audit_event (touchpoint, occurred_at);
