import { query } from './postgres.mjs';

/** How many consumers a large installation has; `BENCH_SCALE` is for a quicker look. */
export const LARGE = Number(process.env.BENCH_SCALE ?? 10_000_000);
/** The database fits in memory, as it would on a server for so many. */
export const SETTINGS = { shared_buffers: '4GB', max_wal_size: '8GB' };

/**
 * Consumers with ids in the order of time, addresses in none, and the password of the one who has registered.
 *
 * @param {string} url
 * @param {number} size
 */
export async function populate(url, size) {
  await query(
    url,
    `
    -- Foreign keys are true by construction, and checking them would take most of the time.
    SET session_replication_role = replica;
    CREATE TEMP TABLE known AS SELECT password_hash FROM credential;
    CREATE FUNCTION pg_temp.id_of(n integer) RETURNS uuid IMMUTABLE LANGUAGE sql AS
      $$ SELECT (lpad(to_hex(n), 8, '0') || '0000' || '7000' || '8000' || substr(md5(n::text), 1, 12))::uuid $$;
    INSERT INTO consumer (id, type, first_name, last_name, created_at, updated_at)
      SELECT pg_temp.id_of(n), 'PERSON', 'Ada', 'Lovelace ' || n, now(), now() FROM generate_series(1, ${size}) n;
    INSERT INTO identifier (id, consumer_id, kind, value, pending)
      SELECT pg_temp.id_of(n), pg_temp.id_of(n), 'email', md5(n::text) || '@example.com', false
      FROM generate_series(1, ${size}) n;
    INSERT INTO credential (consumer_id, password_hash)
      SELECT pg_temp.id_of(n), password_hash FROM generate_series(1, ${size}) n, known`,
  );
  await query(url, 'VACUUM ANALYZE consumer, identifier, credential');
}
