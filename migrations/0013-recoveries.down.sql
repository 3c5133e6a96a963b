ALTER TABLE idempotency_record
  DROP CONSTRAINT idempotency_record_consumer_id_fkey,
  ADD CONSTRAINT idempotency_record_consumer_id_fkey FOREIGN KEY (consumer_id) REFERENCES consumer (id) ON DELETE CASCADE;

DROP TABLE recovery;
