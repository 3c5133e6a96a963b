import { until } from '../until';

type LogLine = Record<string, unknown>;

/** Whoever logs: a service, or what a test has kept of its log. */
interface Logging {
  log: string;
}

/** What a first start prints for people. */
const INVITATION = /^The administration console is at .*\n\n.*\n\nAnother one: .*\n/m;

export const linesOf = ({ log }: Logging): LogLine[] =>
  log
    .replace(INVITATION, '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LogLine);

/** What was logged of one request: a line is written when the answer has gone out, which its reader may know first. */
export async function loggedOf(service: Logging, requestId: string, count = 1): Promise<LogLine[]> {
  const lines = () => linesOf(service).filter((line) => line.requestId === requestId);
  await until(() => lines().length >= count);
  return lines();
}
