// The rows that a registration leaves, in one statement.
import { randomUUID } from 'node:crypto';

export const REGISTER = `
  WITH consumer AS (
    INSERT INTO consumer (id, type, first_name, last_name, created_at, updated_at)
    VALUES ($1, 'PERSON', $2, $3, $4, $4)),
  identifier AS (
    INSERT INTO identifier (id, consumer_id, kind, value, pending) VALUES ($5, $1, 'email', $6, false)),
  credential AS (INSERT INTO credential (consumer_id, password_hash) VALUES ($1, $7)),
  opened AS (
    INSERT INTO session (id, consumer_id, touchpoint_id, created_at, expires_at) VALUES ($8, $1, $9, $4, $10)),
  recorded AS (
    INSERT INTO audit_event (id, occurred_at, type, outcome, actor, touchpoint, request_id, consumer_id, details, count)
    VALUES ($11, $4, 'consumer.registered', 'done', 'touchpoint', 'bench', $12, $1, '{"by": "registration"}', 1))
  INSERT INTO event_pending (event_id, type, occurred_at, consumer_id, touchpoint, data)
  VALUES ($13, 'consumer.registered', $4, $1, 'bench', '{"by": "registration"}')`;

/**
 * @param {{
 *   person: { firstName: string, lastName: string, email: string }, hash: string, touchpoint: { id: string },
 *   iat: number, exp: number, sub: string, sid: string }} registration
 */
export const registrationValues = ({ person, hash, touchpoint, iat, exp, sub, sid }) => [
  ...[sub, person.firstName, person.lastName, new Date(iat * 1000)],
  ...[randomUUID(), person.email, `pepper:00000000:${hash}`],
  ...[sid, touchpoint.id, new Date(exp * 1000)],
  ...[randomUUID(), randomUUID(), randomUUID()],
];
