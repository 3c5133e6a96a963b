-- How many messages somebody has asked for in a window of time, beyond what the limits of their addresses say.
CREATE TABLE send_allowance (
  -- What is counted: `touchpoint:ID`, `calling-code:ID:CODE`, `sms-day:ID`; of consumers and network addresses a digest.
  key text CONSTRAINT send_allowance_pkey PRIMARY KEY,
  used integer NOT NULL,
  allowed integer NOT NULL,
  ends_at timestamptz NOT NULL
);

CREATE INDEX send_allowance_ends_at_idx ON send_allowance (ends_at);

-- Whose numbers a touchpoint accepts and sends SMS to (ISO 3166-1 alpha-2); empty: those of every country.
ALTER TABLE touchpoint ADD COLUMN sms_countries text[] NOT NULL DEFAULT '{}';
