CREATE INDEX challenge_touchpoint_id_destination_idx ON challenge (touchpoint_id, destination);

ALTER TABLE pending_registration DROP COLUMN password_hash;
