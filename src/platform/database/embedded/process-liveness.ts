import { readFileSync } from 'node:fs';

/** Identifies a process: its pid may be reused, but not with the same start. */
export type ProcessIdentity = {
  pid: number;
  /** Clock ticks from boot to its start; null where there is no /proc. */
  startedAt: number | null;
};

export const thisProcess = (): ProcessIdentity => ({
  pid: process.pid,
  startedAt: readStat(process.pid)?.startedAt ?? null,
});

/** Whether that very process still runs; a zombie does not. */
export function isProcessAlive({ pid, startedAt }: ProcessIdentity): boolean {
  if (!pidExists(pid)) return false;
  const stat = readStat(pid);
  if (!stat) return true;
  return !['Z', 'X'].includes(stat.state) && (startedAt === null || stat.startedAt === startedAt);
}

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Fields 3 and 22 of proc_pid_stat(5), counted from the last parenthesis because field 2 may hold anything. */
function readStat(pid: number): { state: string; startedAt: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: String(fields[0]), startedAt: Number(fields[19]) };
  } catch {
    return null;
  }
}
