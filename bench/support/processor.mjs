import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in these, whatever its clock (`getconf CLK_TCK`). */
const TICK_MS = 10;

/** @param {number | string} pid */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, parent, , , , , , , , , , user, system, waitedUser, waitedSystem] = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const own = (user ?? 0) + (system ?? 0);
    return { parent, own: own * TICK_MS, withEnded: (own + (waitedUser ?? 0) + (waitedSystem ?? 0)) * TICK_MS };
  } catch {
    return null;
  }
}

/** Processor time of a process and all its threads, in milliseconds. */
export const processorMs = (/** @type {number} */ pid) => statOf(pid)?.own ?? 0;

/** The same of a process and its children, those that have ended included. */
export function familyProcessorMs(/** @type {number} */ pid) {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter((stat) => stat?.parent === pid);
  return children.reduce((sum, child) => sum + (child?.withEnded ?? 0), statOf(pid)?.withEnded ?? 0);
}

/** Time that the hypervisor gave to others while one of this machine's processors had work (proc(5), "steal"). */
export function stolenMs() {
  const [, , , , , , , , stolen] = readFileSync('/proc/stat', 'utf8').split(/ +/, 9);
  return Number(stolen) * TICK_MS;
}

/** Memory that a process holds, in megabytes. */
export function residentMegabytes(/** @type {number} */ pid) {
  const [, kilobytes = 'NaN'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
