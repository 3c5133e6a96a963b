/**
 * What this process is: a service stays and answers requests of the API, a console stays and answers operators, a command
 * does one thing and ends.
 */
export type ProcessRole = 'service' | 'console' | 'cli';

/** Injection token of this process's role. */
export const PROCESS_ROLE = Symbol('PROCESS_ROLE');
