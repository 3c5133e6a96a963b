interface PostgresError {
  code?: unknown;
  constraint?: unknown;
  driverError?: unknown;
  message?: unknown;
}

/** SQLSTATE classes and codes that concern the state of the database or another transaction, and not the statement. */
const UNAVAILABLE_STATES = /^(08...|53...|40001|40P01|55P03|57014|57P0[1-5]|25006|58030)$/;

/** Those of a server that stops, or is not the primary. */
const DEPARTED_STATES = /^(08...|25006|57P0[1-3])$/;

/** What `pg` and the operating system report when the database cannot be reached or does not answer in time. */
const UNAVAILABLE_ERRNOS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
const UNAVAILABLE_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|not queryable|Client was closed|already released|Driver not Connected|Cannot use a pool after calling end/i;

/** SQLSTATE codes of transactions that were rolled back because of another one, and may succeed at once. */
const CONFLICTS = new Set(['40001', '40P01']);

/** Our own errors for a database that was not asked. */
export class DatabaseUnavailable extends Error {}

/** Whether an error means that the database cannot answer now, so that the same request may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseUnavailable) return true;
  const { code, driverError, message } = error as PostgresError;
  if (typeof code === 'string' && (UNAVAILABLE_STATES.test(code) || UNAVAILABLE_ERRNOS.has(code))) return true;
  if (error instanceof AggregateError && error.errors.some(isDatabaseUnavailable)) return true;
  if (driverError !== undefined && driverError !== error && isDatabaseUnavailable(driverError)) return true;
  return UNAVAILABLE_MESSAGES.test(String(message));
}

/** Whether the server at the other end stops, or has become a read-only replica: other connections lead to it too. */
export function isDeparted(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as PostgresError;
  return typeof code === 'string' && DEPARTED_STATES.test(code);
}

/** The message of an error, in one line; an error about several addresses of a host has none itself. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}

/** Whether the database has rolled the transaction back only because of another one. */
export function isConflict(error: unknown): boolean {
  const { driverError } = error as PostgresError;
  const { code } = (driverError ?? error) as PostgresError;
  return typeof code === 'string' && CONFLICTS.has(code);
}

/** Whether a statement has waited for a lock longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  const { driverError } = error as PostgresError;
  return ((driverError ?? error) as PostgresError).code === '55P03';
}

/** The name of the constraint that a statement broke, or null when it failed otherwise. */
export function violatedConstraint(error: unknown): string | null {
  const { driverError } = error as PostgresError;
  const { code, constraint } = (driverError ?? error) as PostgresError;
  return typeof code === 'string' && code.startsWith('23') && typeof constraint === 'string' ? constraint : null;
}
