-- How much was done in each hour, for the overview of the console: every replica adds what it has counted.
CREATE TABLE activity (
  hour timestamptz NOT NULL,
  -- Its code; empty for the whole service.
  touchpoint text NOT NULL DEFAULT '',
  -- `requests`, `logins`, `registrations`, or the code of a refusal.
  kind text NOT NULL,
  count bigint NOT NULL,
  CONSTRAINT activity_pkey PRIMARY KEY (hour, touchpoint, kind)
);
