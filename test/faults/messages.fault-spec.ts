import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../support/api-client';
import { newPerson, PASSWORD } from '../support/consumers';
import { ServiceProcess } from '../support/service-process';
import { SmtpSink } from '../support/smtp-sink';

const KILLS = 20;
const REGISTRATIONS_A_KILL = 3;
const REGISTRATIONS_WHILE_DOWN = 50;
const OUTAGE_MS = 60_000;
const DELIVERY_DEADLINE_MS = 180_000;

describe('messages', () => {
  let dataDir: string;
  let sink: SmtpSink;
  let credential: Record<string, string>;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'messages-'));
    sink = await SmtpSink.start();
    const create = [
      'touchpoint',
      'create',
      '--code',
      'proving',
      '--channel-proof',
      'EMAIL',
      '--rate-limit',
      'unlimited',
    ];
    const output = execFileSync(process.execPath, ['dist/cli.js', ...create, '--json'], {
      env: { PATH: process.env.PATH, DATA_DIR: dataDir },
      encoding: 'utf8',
    });
    const { code, key } = JSON.parse(output) as { code: string; key: string };
    credential = { 'X-Touchpoint-Code': code, 'X-Touchpoint-Key': key };
  }, 60_000);
  afterAll(async () => {
    await sink.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const start = () =>
    ServiceProcess.start({ DATA_DIR: dataDir, BCRYPT_COST: '4', SMTP_URL: sink.url, MAIL_FROM: 'service@example.com' });
  const begin = async ({ baseUrl }: ServiceProcess) => {
    const person = newPerson({ password: undefined });
    const startedAt = performance.now();
    const { status, body } = await new ApiClient(baseUrl, credential).post<{ registrationId: string }>(
      '/api/v1/register',
      person,
    );
    if (status !== 202) throw new Error(`register answered ${status}`);
    return { email: person.email, registrationId: body.registrationId, ms: performance.now() - startedAt };
  };
  const codesSentTo = (email: string) =>
    sink.received
      .filter(({ recipients }) => recipients.includes(email))
      .map(({ raw }) => /^[0-9]{6}$/m.exec(raw.slice(raw.search(/\r?\n\r?\n/)))?.[0]);
  const waitForAll = async (emails: string[]) => {
    for (let waited = 0; waited < DELIVERY_DEADLINE_MS; waited += 250) {
      if (emails.every((email) => codesSentTo(email).length > 0)) return;
      await sleep(250);
    }
  };

  it('arrive although the service is killed between the answer and the sending', async () => {
    const emails: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const service = await start();
      const begun = await Promise.all(Array.from({ length: REGISTRATIONS_A_KILL }, () => begin(service)));
      emails.push(...begun.map(({ email }) => email));
      await sleep(kill * 40);
      await service.kill('SIGKILL');
    }
    const service = await start();
    await waitForAll(emails);
    await service.kill('SIGTERM');

    const lost = emails.filter((email) => codesSentTo(email).length === 0);
    const extra = emails.reduce((sum, email) => sum + Math.max(0, codesSentTo(email).length - 1), 0);
    process.stderr.write(`${KILLS} kills: ${emails.length} messages, ${lost.length} lost, ${extra} sent twice\n`);
    expect(lost).toEqual([]);
    expect(extra).toBeLessThanOrEqual(KILLS);
    for (const email of emails) expect(new Set(codesSentTo(email)).size).toBe(1);
  }, 400_000);

  it('wait for a mail server that is down, and arrive once each, while requests go on', async () => {
    const service = await start();
    const before = await Promise.all(Array.from({ length: 10 }, () => begin(service)));
    await waitForAll(before.map(({ email }) => email));
    await sink.close();
    const begun: Awaited<ReturnType<typeof begin>>[] = [];
    for (let index = 0; index < REGISTRATIONS_WHILE_DOWN; index += 1) begun.push(await begin(service));
    await sleep(OUTAGE_MS);
    await sink.open();
    await waitForAll(begun.map(({ email }) => email));

    const [up, down] = [before, begun].map((all) => median(all.map(({ ms }) => ms)));
    process.stderr.write(`median answer: ${up} ms with the mail server, ${down} ms without it\n`);
    expect(begun.map(({ email }) => codesSentTo(email).length)).toEqual(begun.map(() => 1));
    const [first] = begun;
    const session = await new ApiClient(service.baseUrl, credential).post('/api/v1/register/complete', {
      registrationId: first?.registrationId,
      code: codesSentTo(first?.email ?? '')[0],
      password: PASSWORD,
    });
    expect(session.status).toBe(201);
    await service.kill('SIGTERM');
  }, 400_000);
});

const median = (values: number[]): number => Math.round(values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN);
