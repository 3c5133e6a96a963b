import { until } from '../until';

type LogLine = Record<string, unknown>;

/** Whoever logs: a service, or what a test has kept of its log. */
interface Logging {
  log: string;
}

export const linesOf = ({ log }: Logging): LogLine[] =>
  log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LogLine);

/** What was logged of one request: a line is written when the answer has gone out, which its reader may know first. */
export async function loggedOf(service: Logging, requestId: string, count = 1): Promise<LogLine[]> {
  const lines = () => linesOf(service).filter((line) => line.requestId === requestId);
  await until(() => lines().length >= count);
  return lines();
}
