DROP TABLE send_limit;
DROP TABLE pending_registration;
DROP TABLE challenge;
