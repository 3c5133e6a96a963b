import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { ApiClient } from '../api/api-client';
import type { CliResult } from './command-line/cli';
import { freePort } from './free-port';
import { Services, type StartOptions, type Started } from './services';
import { TestClock } from './clock/test-clock';

/** What an administrator decides of a touchpoint; what is left out is as the command has it, but for the limits. */
export interface TouchpointOptions {
  authenticationMode?: 'PASSWORD' | 'OTP';
  channelProof?: 'NONE' | 'EMAIL' | 'SMS';
  /** `N/SECONDS`, `unlimited` (which is what tests want), or `default` for the limits of the service. */
  rateLimit?: string;
  /** Comma-separated, ISO 3166-1 alpha-2. */
  smsCountries?: string;
  /** A duration, such as `8h`. */
  sessionMax?: string;
  sessionIdle?: string;
}

/** Whose assertions a touchpoint may present; its keys by their address or themselves, as a JWK Set. */
export interface TrustedProvider {
  issuer: string;
  /** `shop` where nothing is said. */
  audience?: string;
  jwksUri?: string;
  jwks?: object;
  trustEmail?: boolean;
}

export interface TestServiceOptions extends Omit<StartOptions, 'replicaOf'> {
  /** Another replica of that service, on the same database and secrets; if both clocks are stopped, at the same time. */
  replicaOf?: TestService;
  /** One that a test can advance, and that goes on by itself or not. */
  clock?: 'running' | 'stopped';
  /** Whether it has metrics to scrape. */
  metrics?: true;
}

/** The built service as its users know it: an address to call, a command line, files, a database. */
export class TestService {
  readonly clock: TestClock;

  private constructor(private readonly started: Started) {
    this.clock = new TestClock(started.process);
  }

  /** The service of all files that need nothing special. */
  static async shared(): Promise<TestService> {
    return new TestService(await Services.ofFile.sharedService('real-time'));
  }

  /** The service of all files that move its clock. */
  static async withStoppedClock(): Promise<TestService> {
    const service = new TestService(await Services.ofFile.sharedService('stopped-clock'));
    await service.clock.stop();
    return service;
  }

  /** A service with settings, a database or an end of its own. */
  static async start({ replicaOf, clock, metrics, env, ...options }: TestServiceOptions = {}): Promise<TestService> {
    const settings = {
      ...(clock && { TEST_CLOCK: 'movable' }),
      ...(metrics && { METRICS_PORT: String(await freePort()) }),
      ...env,
    };
    const service = new TestService(
      await Services.ofFile.start({ ...options, env: settings, replicaOf: replicaOf?.started.env }),
    );
    if (clock === 'stopped') await service.clock.stop(replicaOf?.clock);
    return service;
  }

  get baseUrl(): string {
    return this.started.process.baseUrl;
  }

  /** Its settings, with which the command line reaches the same database. */
  get env(): Record<string, string> {
    return this.started.env;
  }

  /** What Prometheus reads, of a service with metrics, which the shared ones have. */
  get metricsAddress(): string {
    return `http://127.0.0.1:${this.env.METRICS_PORT}/metrics`;
  }

  get dataDir(): string {
    return this.started.env.DATA_DIR ?? '';
  }

  get databaseUrl(): string {
    return this.started.databaseUrl;
  }

  /** Everything that it has logged. */
  get log(): string {
    return readFileSync(this.started.process.logPath, 'utf8');
  }

  /** A client with the credential of a new touchpoint. */
  async client(options: TouchpointOptions = {}): Promise<ApiClient> {
    const code = `test-${randomUUID()}`;
    const { authenticationMode, channelProof, rateLimit = 'unlimited', smsCountries } = options;
    const { sessionMax, sessionIdle } = options;
    const given = Object.entries({
      '--code': code,
      '--auth-mode': authenticationMode,
      '--channel-proof': channelProof,
      '--rate-limit': rateLimit,
      '--sms-countries': smsCountries,
      '--session-max': sessionMax,
      '--session-idle': sessionIdle,
    }).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
    const { key } = await this.administer<{ key: string }>('touchpoint', 'create', ...given);
    return new ApiClient(this.baseUrl, { 'X-Touchpoint-Code': code, 'X-Touchpoint-Key': key });
  }

  /** Lets a touchpoint's backend identify consumers by assertions of this provider. */
  async trust(
    client: ApiClient,
    { issuer, audience = 'shop', jwksUri, jwks, trustEmail }: TrustedProvider,
  ): Promise<void> {
    const file = join(this.dataDir, `${randomUUID()}.jwks.json`);
    if (jwks) await writeFile(file, JSON.stringify(jwks));
    await this.administer(
      ...['touchpoint', 'provider', 'add', client.headers['X-Touchpoint-Code'] ?? ''],
      ...['--issuer', issuer, '--audience', audience],
      ...(jwksUri === undefined ? ['--jwks-file', file] : ['--jwks-uri', jwksUri]),
      ...(trustEmail ? ['--trust-email'] : []),
    );
  }

  /** What a command printed, which must succeed. */
  async administer<T>(...command: string[]): Promise<T> {
    const { exitCode, stdout, stderr } = await this.cli(...command, '--json');
    if (exitCode !== 0) throw new Error(`${command.join(' ')} failed: ${stderr}`);
    return JSON.parse(stdout) as T;
  }

  /** Runs a command on its database; a test of what a process loads, opens or does to a terminal uses `runCli` instead. */
  cli(...command: string[]): Promise<CliResult> {
    return this.cliWith({}, ...command);
  }

  /** The same with other settings beside. */
  cliWith(env: Record<string, string>, ...command: string[]): Promise<CliResult> {
    return Services.ofFile.runCommand({
      args: command,
      env: { ...this.env, ...env },
      epochMs: this.clock.stoppedAtMs,
    });
  }

  /** The rows of one statement, for tests of what is stored. */
  async query<Row extends object>(statement: string, values: unknown[] = []): Promise<Row[]> {
    const client = new Client({ connectionString: this.databaseUrl });
    await client.connect();
    const { rows } = await client.query<Row>(statement, values).finally(() => client.end());
    return rows;
  }

  signal(signal: NodeJS.Signals): void {
    this.started.process.signal(signal);
  }

  /** Stops it and starts it again on what it has stored, with these settings changed. */
  restart(env?: Record<string, string>): Promise<void> {
    return this.started.restart(env);
  }

  /** Ends a service that was started for one test or file; it would end with the file anyway. */
  close(): Promise<void> {
    return this.started.close();
  }
}
