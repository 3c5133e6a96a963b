-- How far the import of a file has come; written in the transaction of each batch. No personal data.
CREATE TABLE import_run (
  -- SHA-256 of the file's content: the same file goes on where it was.
  file_digest bytea CONSTRAINT import_run_pkey PRIMARY KEY,
  bytes_done bigint NOT NULL,
  lines_done bigint NOT NULL,
  imported bigint NOT NULL,
  refused bigint NOT NULL,
  started_at timestamptz NOT NULL,
  finished_at timestamptz
);
