import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { CliResult } from './command-line/cli';
import { databaseUrlOf, newPlace, type Place } from './database/database';
import { freePort } from './free-port';
import { RUN, RUN_DIRECTORY } from './test-run/run';
import { RunningProcess } from './running-process';
import { type Command, WarmCli } from './command-line/warm-cli';

const LOGS = join(__dirname, '../../../test-logs');

/** What most tests want: cheap hashes, no limits on how often they call. */
const SETTINGS: Record<string, string> = {
  NODE_ENV: 'test',
  BCRYPT_COST: '4',
  HASH_WORKERS: '1',
  HASH_QUEUE_LIMIT: '1000',
  RATE_LIMIT_BURST: '0',
  RATE_LIMIT_SUSTAINED: '0',
  LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'info',
  ...(process.env.TEST_REDIS_URL !== undefined && { REDIS_URL: process.env.TEST_REDIS_URL }),
};

/** Which of the services that files share: one by the real clock, or one whose clock is stopped and moved by tests. */
export type SharedKind = 'real-time' | 'stopped-clock';

export interface StartOptions {
  env?: Record<string, string>;
  /** Instead of a database of its own: another replica on that of these settings. */
  replicaOf?: Record<string, string>;
  /** Begin with no database at all, as on the first start. */
  unprepared?: boolean;
}

/** A service that answers, and what it stands on. */
export interface Started {
  process: RunningProcess;
  /** Its settings, as the command line needs them too. */
  env: Record<string, string>;
  databaseUrl: string;
  /** Ends the process and begins another at the same address, with these settings beside. */
  restart: (env?: Record<string, string>) => Promise<void>;
  close: () => Promise<void>;
}

/** A process that serves the tests of a file, and what it has printed since then. */
interface LoggedProcess {
  name: string;
  printed: () => string;
}

/**
 * The services that the tests of one file speak to. Those that are shared live as long as the worker does, whose files all
 * have this one module; every other ends at the latest with the file that started it.
 */
export class Services {
  /** Those of the file that runs. */
  static ofFile: Services;

  private static readonly shared = new Map<SharedKind, Promise<Started>>();
  /** Those that could not be started. */
  private static readonly failed = new Set<SharedKind>();
  private static readonly cli = new WarmCli();
  private readonly own = new Set<Started>();
  private readonly logged: LoggedProcess[] = [];

  async sharedService(kind: SharedKind): Promise<Started> {
    const earlier = Services.shared.get(kind);
    // One that crashed fails the file that runs, and no later one.
    if ((await earlier?.catch(() => null))?.process.hasEnded && Services.shared.get(kind) === earlier)
      Services.shared.delete(kind);
    let starting = Services.shared.get(kind);
    if (starting === undefined) {
      starting = startShared(kind);
      Services.shared.set(kind, starting);
      starting.catch(() => {
        // A later file tries once more, rather than fail of what was wrong earlier.
        if (!Services.failed.has(kind)) Services.shared.delete(kind);
        Services.failed.add(kind);
      });
    }
    const service = await starting;
    if (!this.logged.some(({ name }) => name === service.process.baseUrl)) this.keepLogOf(service.process);
    return service;
  }

  runCommand(command: Command): Promise<CliResult> {
    return Services.cli.run(command);
  }

  async start(options: StartOptions): Promise<Started> {
    const service = await startAlone(options);
    this.own.add(service);
    this.keepLogOf(service.process, 0);
    return service;
  }

  /** If a test of this file fails, what this process has printed is kept. */
  keepPrinted(name: string, printed: () => string): void {
    this.logged.push({ name, printed });
  }

  /** Keeps what the services logged while this file ran, for whoever looks why one of its tests failed. */
  keepLogs(testPath: string): void {
    mkdirSync(LOGS, { recursive: true });
    const path = logOf(testPath);
    for (const { name, printed } of this.logged) appendFileSync(path, `== ${name}\n${printed()}`);
  }

  private keepLogOf({ baseUrl, logPath, logSize }: RunningProcess, from = logSize): void {
    this.keepPrinted(baseUrl, () => readFileSync(logPath).subarray(from).toString());
  }

  async closeOwn(): Promise<void> {
    await Promise.all([...this.own].map((service) => service.close()));
  }
}

const logOf = (testPath: string): string => join(LOGS, `${basename(testPath).replace(/(\.e2e)?-spec\.ts$/, '')}.log`);

/** What an earlier run left of this file. */
export const forgetLogs = (testPath: string): void => {
  rmSync(logOf(testPath), { force: true });
};

/** With a console and metrics, so that no file starts a service for them. */
async function startShared(kind: SharedKind): Promise<Started> {
  const env = { CONSOLE_PORT: String(await freePort()), METRICS_PORT: String(await freePort()) };
  return startAlone({ env: kind === 'stopped-clock' ? { ...env, TEST_CLOCK: 'movable' } : env });
}

async function startAlone({ env = {}, replicaOf, unprepared }: StartOptions): Promise<Started> {
  const directory = await mkdtemp(join(RUN_DIRECTORY, 'service-'));
  const place = replicaOf ? besides(replicaOf) : await newPlace(RUN, directory, { unprepared });
  const settings = { ...SETTINGS, ...place.env, ...env };
  // Beside the directory: the log is still wanted when a test has ended its service.
  const log = `${directory}.log`;
  const end = async () => {
    await started.process.stop('SIGTERM');
    await place.drop();
    await rm(directory, { recursive: true, force: true });
  };
  let ended: Promise<void> | undefined;
  const started: Started = {
    process: await RunningProcess.start(settings, log),
    env: settings,
    databaseUrl: databaseUrlOf(settings),
    restart: async (changes = {}) => {
      await started.process.stop('SIGTERM');
      const { port } = new URL(started.process.baseUrl);
      Object.assign(settings, changes, { PORT: port });
      started.process = await RunningProcess.start(settings, log);
    },
    close: () => (ended ??= end()),
  };
  return started;
}

/** What two replicas have in common: the database, and the secrets and keys in the data directory; but no ports. */
function besides(env: Record<string, string>): Place {
  const { PORT: _port, CONSOLE_PORT: _console, METRICS_PORT: _metrics, ...common } = env;
  return { env: { ...common, DATABASE_URL: databaseUrlOf(env) }, drop: () => Promise.resolve() };
}
