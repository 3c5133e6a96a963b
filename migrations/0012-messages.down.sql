-- Messages that wait are lost: the version before keeps its own in tables that it makes when it starts.
DROP TABLE scheduled_job;
DROP TABLE message;
