-- Of the password that came with the first step.
ALTER TABLE pending_registration ADD COLUMN password_hash text;

-- Nothing looks for the registrations of an address any more: they live side by side.
DROP INDEX challenge_touchpoint_id_destination_idx;
