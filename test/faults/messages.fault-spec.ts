import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newPerson, PASSWORD } from '../support/api/consumers';
import { reportFault } from '../support/faults/report';
import { wrongMessages } from '../support/faults/invariants';
import { PostgresCluster } from '../support/faults/postgres-cluster';
import { CreatedTouchpoint, ServiceProcess } from '../support/service/service-process';
import { SmsGateway } from '../support/messages/sms-gateway';
import { type SmtpBehaviour, SmtpSink } from '../support/messages/smtp-sink';

const KILLS = 5;
const REGISTRATIONS_A_KILL = 3;
const REGISTRATIONS_IN_TROUBLE = 10;
const DELIVERY_DEADLINE_MS = 90_000;
const POLL_MS = 50;

interface Begun {
  address: string;
  registrationId: string;
}

describe('messages', () => {
  let cluster: PostgresCluster;
  let dataDir: string;
  let sink: SmtpSink;
  let gateway: SmsGateway;
  let env: Record<string, string>;
  let byMail: CreatedTouchpoint;
  let bySms: CreatedTouchpoint;

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    dataDir = await mkdtemp(join(tmpdir(), 'messages-'));
    sink = await SmtpSink.start();
    gateway = await SmsGateway.start();
    env = {
      ...{ DATA_DIR: dataDir, DATABASE_URL: cluster.url, BCRYPT_COST: '4' },
      ...{ SMTP_URL: sink.url, MAIL_FROM: 'service@example.com' },
      ...{ SMS_GATEWAY_URL: gateway.url, SMS_GATEWAY_SECRET: `whsec_${Buffer.alloc(24).toString('base64')}` },
    };
    byMail = CreatedTouchpoint.create(env, 'by-mail', '--channel-proof', 'EMAIL');
    bySms = CreatedTouchpoint.create(env, 'by-sms', '--channel-proof', 'SMS');
  }, 120_000);
  afterAll(async () => {
    await sink.close();
    gateway.close();
    await cluster.dispose();
    await rm(dataDir, { recursive: true, force: true });
  });

  let phones = 0;
  const begin = async (service: ServiceProcess, touchpoint: CreatedTouchpoint): Promise<Begun> => {
    phones += 1;
    const phone = touchpoint === bySms ? `+4930${String(100_000 + phones)}` : undefined;
    const person = newPerson({ password: undefined, phone });
    const client = touchpoint.clientOf(service);
    const { status, body } = await client.post<{ registrationId: string }>('/api/v1/register', person);
    if (status !== 202) throw new Error(`register answered ${status}`);
    return { address: phone ?? person.email, registrationId: body.registrationId };
  };
  const beginMany = async (service: ServiceProcess, touchpoint: CreatedTouchpoint, count: number) =>
    Promise.all(Array.from({ length: count }, () => begin(service, touchpoint)));
  /** The codes that have arrived there. */
  const codesSentTo = (address: string): string[] => [
    ...sink.received
      .filter(({ recipients }) => recipients.includes(address))
      .map(({ raw }) => codeIn(raw.slice(raw.search(/\r?\n\r?\n/)))),
    ...taken.filter(({ to }) => to === address).map(({ text }) => codeIn(text)),
  ];
  /** What the gateway has taken, that is answered with success. */
  const taken: { to: string; text: string }[] = [];
  const arrive = async (begun: Begun[]) => {
    const startedAt = performance.now();
    while (performance.now() - startedAt < DELIVERY_DEADLINE_MS) {
      if (begun.every(({ address }) => codesSentTo(address).length > 0)) break;
      await sleep(POLL_MS);
    }
    return performance.now() - startedAt;
  };
  const report = async (what: string, begun: Begun[], recoveryMs: number) => {
    const delivered = begun.flatMap(({ address }) => codesSentTo(address).map(() => address));
    const wrong = await wrongMessages(cluster.url, { promised: begun.map(({ address }) => address), delivered });
    const acknowledged = begun.length;
    reportFault(`${what}: messages, ${wrong.repeated} sent twice`, {
      ...{ sent: acknowledged, acknowledged, refused: 0, lost: wrong.lost.length, recoveryMs },
    });
    expect([wrong.lost, wrong.unfounded]).toEqual([[], []]);
    for (const { address } of begun) expect(new Set(codesSentTo(address)).size).toBe(1);
    return wrong;
  };

  it('arrive although the service is killed between the answer and the sending', async () => {
    const begun: Begun[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const service = await ServiceProcess.start(env);
      begun.push(...(await beginMany(service, byMail, REGISTRATIONS_A_KILL)));
      await sleep(kill * 120);
      await service.kill('SIGKILL');
    }
    // Instead of waiting for a minute, after which a message is taken from a process that has died.
    await cluster.query(`UPDATE message SET due_at = due_at - interval '1 minute' WHERE state = 'sending'`);
    const service = await ServiceProcess.start(env);
    const recoveryMs = await arrive(begun);
    await service.kill('SIGTERM');
    const { repeated } = await report(`${KILLS} times kill -9`, begun, recoveryMs);
    expect(repeated).toBeLessThanOrEqual(KILLS);
  }, 240_000);

  it('wait for a mail server that is down or refuses, and arrive once each, while requests go on', async () => {
    const service = await ServiceProcess.start(env);
    const begun: Begun[] = [];
    await sink.close();
    begun.push(...(await beginMany(service, byMail, REGISTRATIONS_IN_TROUBLE)));
    await sleep(1_000);
    await sink.open();
    for (const behaviour of ['busy', 'refuse-recipient'] satisfies SmtpBehaviour[]) {
      sink.behaviour = behaviour;
      begun.push(...(await beginMany(service, byMail, REGISTRATIONS_IN_TROUBLE)));
      await sleep(1_000);
    }
    sink.behaviour = 'accept';
    const recoveryMs = await arrive(begun);
    const { repeated } = await report('mail server down, busy, refusing', begun, recoveryMs);
    expect(repeated).toBe(0);
    const [first] = begun;
    const session = await byMail.clientOf(service).post('/api/v1/register/complete', {
      ...{ registrationId: first?.registrationId, code: codesSentTo(first?.address ?? '')[0], password: PASSWORD },
    });
    expect(session.status).toBe(201);
    expect(await service.kill('SIGTERM')).toBe(0);
  }, 240_000);

  it('wait for a gateway that fails or hangs, hold up no e-mail, and arrive', async () => {
    const service = await ServiceProcess.start(env);
    gateway.answer = 500;
    const begun = await beginMany(service, bySms, REGISTRATIONS_IN_TROUBLE);
    gateway.answer = 'hang';
    begun.push(...(await beginMany(service, bySms, REGISTRATIONS_IN_TROUBLE)));
    const mails = await beginMany(service, byMail, REGISTRATIONS_IN_TROUBLE);
    const mailMs = await arrive(mails);
    await report('SMS gateway hangs, e-mail goes on', mails, mailMs);
    const before = gateway.requests.length;
    gateway.answer = 202;
    gateway.release(500);
    const startedAt = performance.now();
    while (performance.now() - startedAt < DELIVERY_DEADLINE_MS) {
      taken.splice(0, taken.length, ...gateway.requests.slice(before).map(({ body }) => JSON.parse(body) as Sms));
      if (begun.every(({ address }) => codesSentTo(address).length > 0)) break;
      await sleep(POLL_MS);
    }
    const { repeated } = await report('SMS gateway failing, then hanging', begun, performance.now() - startedAt);
    expect(repeated).toBe(0);
    expect(await service.kill('SIGTERM')).toBe(0);
  }, 240_000);
});

interface Sms {
  to: string;
  text: string;
}

const codeIn = (text: string): string => /\b[0-9]{6}\b/.exec(text)?.[0] ?? '';
