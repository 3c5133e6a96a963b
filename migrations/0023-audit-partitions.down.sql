ALTER TABLE audit_event RENAME TO audit_event_months;
ALTER INDEX audit_event_occurred_at_idx RENAME TO audit_event_months_occurred_at_idx;
ALTER INDEX audit_event_consumer_id_idx RENAME TO audit_event_months_consumer_id_idx;
ALTER INDEX audit_event_request_id_idx RENAME TO audit_event_months_request_id_idx;
ALTER INDEX audit_event_touchpoint_occurred_at_idx RENAME TO audit_event_months_touchpoint_occurred_at_idx;

CREATE TABLE audit_event (
  LIKE audit_event_months INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
  CONSTRAINT audit_event_pkey PRIMARY KEY (id)
);
INSERT INTO audit_event SELECT * FROM audit_event_months;
CREATE INDEX audit_event_occurred_at_idx ON audit_event (occurred_at);
CREATE INDEX audit_event_consumer_id_idx ON audit_event (consumer_id);
CREATE INDEX audit_event_request_id_idx ON audit_event (request_id);
CREATE INDEX audit_event_touchpoint_occurred_at_idx ON audit_event (touchpoint, occurred_at);
DROP TABLE audit_event_months;
DROP FUNCTION audit_event_keep;
