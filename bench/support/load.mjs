import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { endWithUs } from './end-with-us.mjs';

/**
 * @typedef {{ method: string, path: string, headers: Record<string, string>, body?: string }} LoadRequest
 * @typedef {{
 *   baseUrl: string, connections: number, seconds: number, requests: LoadRequest[], expectedStatus: number,
 *   withTimes?: boolean }} Load
 * @typedef {{ baseUrl: string, request: LoadRequest, perSecond: number, seconds: number }} Schedule
 * @typedef {{ all: number[], undisturbed: number[] }} ScheduleResult
 * @typedef {{
 *   count: number, answered: number, steadyMs: number, perSecond: number, silentMs: number, p50: number, p99: number,
 *   answeredAt: number[], unexpected: Record<string, number> }} LoadResult
 */

/** At either end of a load, which its rate leaves out. */
const LONGEST_SILENCE_MS = 3_000;

/** In a body: another id in each request, 33 letters, digits, `-` and `_`. */
export const NEW_ID = '[<id>]';

/**
 * Sends the requests round and round from a process of its own, as fast as the connections take them.
 *
 * @param {Load} load
 * @returns {Promise<LoadResult>} `answered` in `steadyMs`, and so `perSecond`: from when every connection can have had an
 *   expected answer to the last one; `silentMs`: what that leaves out at either end; `answeredAt`: when each expected answer
 *   came by `monotonicMs`, where the load is `withTimes`; `unexpected`: how many answers there were of each other status,
 *   and broken connections
 */
export const observeLoad = (load) => runIn('load.process.mjs', load);

/**
 * The same where any other answer than the expected one is an error, and so is a long silence.
 *
 * @param {Load} load
 */
export async function applyLoad(load) {
  const result = await observeLoad(load);
  const answered = result.perSecond > 0 && result.silentMs < LONGEST_SILENCE_MS;
  if (answered && Object.keys(result.unexpected).length === 0) return result;
  throw new Error(`${load.baseUrl}: ${JSON.stringify({ ...result, answeredAt: undefined })}`);
}

/**
 * Sends one request at fixed times from a process of its own.
 *
 * @param {Schedule} schedule
 * @returns {Promise<ScheduleResult>} milliseconds from when each request was due, so that a slow answer hides none behind
 *   it; `undisturbed`: of those only that were due while the hypervisor took no processor time from this machine, nor in
 *   the 200 ms behind
 */
export const applySchedule = (schedule) => runIn('schedule.process.mjs', schedule);

/**
 * Children without a task. They are used again, since a new one interprets its code at first: it took 0.5 ms of processor
 * time for a login beside the hash, where one that had been at work before took 0.36.
 *
 * @type {Map<string, import('node:child_process').ChildProcess[]>}
 */
const idle = new Map();

/**
 * @param {string} program
 * @param {object} task
 */
async function runIn(program, task) {
  const child = idle.get(program)?.pop() ?? start(program);
  child.channel?.ref();
  const over = new AbortController();
  const ended = once(child, 'exit', over).then(() => [{ error: `${program} ended` }]);
  try {
    child.send(task);
    const [answer] = await Promise.race([once(child, 'message', over), ended]);
    if (answer.error !== undefined) throw new Error(answer.error);
    child.channel?.unref();
    idle.get(program)?.push(child);
    return answer.result;
  } catch (error) {
    child.kill();
    throw error;
  } finally {
    over.abort();
  }
}

/** @param {string} program */
function start(program) {
  const child = fork(resolve(import.meta.dirname, program), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  child.unref();
  endWithUs(child);
  const others = idle.get(program) ?? [];
  idle.set(program, others);
  child.once('exit', () => {
    if (others.includes(child)) others.splice(others.indexOf(child), 1);
  });
  return child;
}
