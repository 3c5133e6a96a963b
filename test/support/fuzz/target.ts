import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../api/api-client';
import { AssertionIssuer } from '../identity-providers/assertion-issuer';
import { runCli } from '../service/command-line/cli';
import { newPerson, register, type SessionBody } from '../api/consumers';
import { expectDocumented } from '../api/documented-answers';
import { allMail } from '../messages/mailbox';
import type { RawAnswer } from '../http/raw-http';
import type { RawConnection } from '../http/raw-connection';
import { ServiceProcess } from '../service/service-process';

/** How many guesses a code stands. */
const GUESSES = 5;

const TOUCHPOINTS = {
  password: [],
  otp: ['--auth-mode', 'OTP'],
  proof: ['--channel-proof', 'EMAIL'],
};

export type TouchpointName = keyof typeof TOUCHPOINTS;

/** A request of which every byte is chosen. */
export interface HostileRequest {
  method: string;
  /** Characters stand for bytes. */
  target: string;
  headers: [name: string, value: string][];
  body?: Buffer;
}

interface Code {
  code: string;
  /** Of a registration under way, or of a consumer who proves an address. */
  registrationId?: string;
  token?: string;
}

/** The built service in a process of its own, with what good requests need, and a judgement of every answer. */
export class FuzzTarget {
  /** How many answers there were of each status. */
  readonly statuses = new Map<number, number>();
  private readonly registrations: Code[] = [];
  private readonly proofs: Code[] = [];
  private taken = 0;

  private constructor(
    readonly service: ServiceProcess,
    private readonly dataDir: string,
    private readonly credentials: Record<TouchpointName, Record<string, string>>,
    readonly issuer: AssertionIssuer,
    /** What the service signs its tokens with. */
    readonly signingKey: KeyObject,
    private session: SessionBody,
  ) {}

  /** With so many codes ready for each of the operations that take one. */
  static async start({ codes }: { codes: number }): Promise<FuzzTarget> {
    const dataDir = await mkdtemp(join(tmpdir(), 'fuzz-'));
    const service = await ServiceProcess.start({
      DATA_DIR: dataDir,
      BCRYPT_COST: '4',
      HASH_QUEUE_LIMIT: '1000',
      RATE_LIMIT_BURST: '0',
      RATE_LIMIT_SUSTAINED: '0',
      NODE_OPTIONS: `--require=${join(__dirname, 'report-heap.cjs')}`,
    });
    const run = async (...args: string[]): Promise<Record<string, string>> => {
      const { exitCode, stdout, stderr } = await runCli({ DATA_DIR: dataDir }, ...args, '--json');
      if (exitCode !== 0) throw new Error(stderr);
      return JSON.parse(stdout) as Record<string, string>;
    };
    const credentials = {} as Record<TouchpointName, Record<string, string>>;
    for (const [name, options] of Object.entries(TOUCHPOINTS) as [TouchpointName, string[]][]) {
      const { key = '' } = await run('touchpoint', 'create', '--code', name, ...options);
      credentials[name] = { 'X-Touchpoint-Code': name, 'X-Touchpoint-Key': key };
    }
    const issuer = await AssertionIssuer.start();
    const provider = ['--issuer', issuer.url, '--audience', 'shop', '--jwks-uri', issuer.jwksUri, '--trust-email'];
    await run('touchpoint', 'provider', 'add', 'password', ...provider);
    const { keys } = JSON.parse(await readFile(join(dataDir, 'jwt-keys.json'), 'utf8')) as { keys: [JsonWebKey] };
    const signingKey = createPrivateKey({ key: keys[0], format: 'jwk' });
    const session = await register(new ApiClient(service.baseUrl, credentials.password));
    const target = new FuzzTarget(service, dataDir, credentials, issuer, signingKey, session);
    await target.prepareCodes(codes);
    return target;
  }

  client(touchpoint: TouchpointName = 'password'): ApiClient {
    return new ApiClient(this.service.baseUrl, this.credentials[touchpoint]);
  }

  credential(touchpoint: TouchpointName): [string, string][] {
    return Object.entries(this.credentials[touchpoint]);
  }

  get token(): string {
    return this.session.token;
  }

  /** After an answer by which the session may have ended, or the password changed. */
  async renewSession(): Promise<void> {
    this.session = await register(this.client());
  }

  /** What a good request has in the place of an example; absent: the example is good. */
  async goodMembers(path: string): Promise<Record<string, unknown>> {
    const person = () => ({ email: newPerson().email, phone: null });
    switch (path) {
      case '/api/v1/register':
        return person();
      case '/api/v1/register/complete':
        return { ...this.nextCode(this.registrations) };
      case '/api/v1/identify':
        return { ...person(), assertion: await this.issuer.sign() };
      case '/api/v1/login':
        return { identifier: this.session.customerId };
      case '/api/v1/me':
        return person();
      case '/api/v1/verifications/{channel}/confirm':
        return { ...this.nextCode(this.proofs) };
      case '/api/v1/password/change':
        return { currentPassword: newPerson().password };
      default:
        return {};
    }
  }

  /** Sends it and fails unless the answer is one that the service may give to anything whatever. */
  async send(connection: RawConnection, request: HostileRequest): Promise<RawAnswer> {
    const { method, target } = request;
    const answer = await connection.exchange(bytesOf(request));
    const { status, body, headers } = answer;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status >= 500 && status !== 501) throw new Error(`${method} ${target} ${status} ${body}`);
    expectDocumented(method, target, { ...answer, header: (name) => headers[name.toLowerCase()] });
    return answer;
  }

  /** What it has said that a healthy service does not say. */
  get complaints(): string[] {
    const lines = this.service.output.join('').split('\n');
    return lines.filter((line) => /"level":"(error|fatal)"|unhandled|uncaught|Warning:/i.test(line));
  }

  async stop(): Promise<number | null> {
    this.issuer.close();
    const exitCode = await this.service.kill('SIGTERM');
    await rm(this.dataDir, { recursive: true, force: true });
    return exitCode;
  }

  private nextCode(codes: Code[]): Code | undefined {
    this.taken += 1;
    return codes[Math.floor(this.taken / (GUESSES - 1)) % codes.length];
  }

  private async prepareCodes(count: number): Promise<void> {
    const starting = new Map<string, Omit<Code, 'code'>>();
    for (let made = 0; made < count; made += 1) {
      const person = newPerson();
      const started = await this.client('proof').post<{ registrationId: string }>('/api/v1/register', person);
      starting.set(person.email, { registrationId: started.body.registrationId });
      const { email, token } = await register(this.client());
      await this.client().as(token).post('/api/v1/verifications/email/request');
      starting.set(email, { token });
    }
    for (let waited = 0; starting.size > 0; waited += 200) {
      if (waited > 60_000) throw new Error(`${starting.size} codes were not delivered`);
      await sleep(200);
      for (const { to, code } of await allMail({ env: { DATA_DIR: this.dataDir } })) {
        const known = starting.get(to);
        if (!known || code === null) continue;
        starting.delete(to);
        (known.token === undefined ? this.registrations : this.proofs).push({ ...known, code });
      }
    }
  }
}

function bytesOf({ method, target, headers, body }: HostileRequest): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const length = body ? [`Content-Length: ${body.length}`] : [];
  const head = [`${method} ${target} HTTP/1.1`, 'Host: fuzz', ...lines, ...length, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)]);
}
