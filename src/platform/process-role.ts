/** What this process is: a service stays and answers requests, a command does one thing and ends. */
export type ProcessRole = 'service' | 'cli';

/** Injection token of this process's role. */
export const PROCESS_ROLE = Symbol('PROCESS_ROLE');
