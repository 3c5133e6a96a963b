import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, ApiClient } from '../support/api/api-client';
import { newPerson, PASSWORD } from '../support/api/consumers';
import { forgot, login, NEW_PASSWORD, recoveryCode, reset } from '../support/api/recovery';
import { brokenRows } from '../support/faults/invariants';
import { allMail } from '../support/messages/mailbox';
import { PostgresCluster } from '../support/faults/postgres-cluster';
import { reportFault } from '../support/faults/report';
import { CreatedTouchpoint, ServiceProcess } from '../support/service/service-process';

const CLIENTS = 6;
const LONGEST_LIFE_MS = 1_200;
const COOL_DOWN_MS = 61_000;

/** How often the service is killed: `KILL_ROUNDS_RECOVERY`. */
const KILLS = Number(process.env.KILL_ROUNDS_RECOVERY ?? 20);

interface Forgetful {
  email: string;
  /** Whether the new password was acknowledged. */
  isReset: boolean;
  askedAt: number;
}

describe('kill -9 at random moments of recoveries', () => {
  let dataDir: string;
  let cluster: PostgresCluster;
  let service: ServiceProcess;
  let touchpoint: CreatedTouchpoint;
  let env: Record<string, string>;
  const forgetfuls: Forgetful[] = [];
  const unexpected: string[] = [];
  const counts = { sent: 0, acknowledged: 0, refused: 0, unanswered: 0 };

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    dataDir = await mkdtemp(join(tmpdir(), 'recovery-'));
    env = {
      ...{ DATA_DIR: dataDir, DATABASE_URL: cluster.url, BCRYPT_COST: '4', HASH_QUEUE_LIMIT: '1000' },
      ...{ RATE_LIMIT_BURST: '0', RATE_LIMIT_SUSTAINED: '0' },
    };
    touchpoint = CreatedTouchpoint.create(env, 'shop');
    service = await ServiceProcess.start(env);
  });
  afterAll(async () => {
    await service.kill('SIGTERM');
    await cluster.dispose();
    await rm(dataDir, { recursive: true, force: true });
  });

  const client = () => touchpoint.clientOf(service);

  /** The answer, or null when the service was killed meanwhile, or could not answer. */
  async function ask<T>(wanted: number, send: (client: ApiClient) => Promise<Answer<T>>): Promise<Answer<T> | null> {
    counts.sent += 1;
    try {
      const answer = await send(client());
      if (answer.status === wanted) counts.acknowledged += 1;
      else if (answer.status === 503) counts.refused += 1;
      else unexpected.push(`${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.status === wanted ? answer : null;
    } catch (error) {
      if ((error as Error).name !== 'TypeError') unexpected.push(String(error));
      counts.unanswered += 1;
      return null;
    }
  }

  const codesSentTo = async (email: string) =>
    (await allMail({ env })).filter(({ to, kind }) => to === email && kind === 'recovery-code');

  /** The message of a process that was killed goes out when its lease has ended: nobody here waits for that. */
  async function codeSoonSentTo(email: string): Promise<string | null> {
    for (let waited = 0; waited < 3_000; waited += 50) {
      const [mail] = await codesSentTo(email);
      if (mail) return mail.code;
      await sleep(50);
    }
    return null;
  }

  /** One consumer: registers, forgets the password, and chooses a new one; or as far as it goes. */
  async function recoverOne(): Promise<void> {
    const person = newPerson();
    if (!(await ask(201, (sender) => sender.post('/api/v1/register', person)))) return;
    const forgetful = { email: person.email, isReset: false, askedAt: performance.now() };
    forgetfuls.push(forgetful);
    const begun = await ask(202, (sender) => forgot(sender, person.email));
    if (!begun) return;
    const code = await codeSoonSentTo(person.email);
    if (code === null) return;
    forgetful.isReset = (await ask(204, (sender) => reset(sender, begun.body.recoveryId, code))) !== null;
  }

  it('leave every consumer with exactly one password, and with a way to a new one', async () => {
    let isOver = false;
    let recoveryMs = 0;
    const resets = () => forgetfuls.filter(({ isReset }) => isReset).length;
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!isOver) {
        await recoverOne();
        await sleep(50);
      }
    });
    for (let kill = 0; kill < KILLS; kill += 1) {
      const goal = counts.acknowledged + CLIENTS;
      const isUnderWay = () => counts.acknowledged >= goal && resets() > kill;
      while (!isUnderWay() && unexpected.length === 0) await sleep(5);
      await sleep(randomInt(LONGEST_LIFE_MS));
      await service.kill('SIGKILL');
      const startedAt = performance.now();
      service = await ServiceProcess.start(env);
      recoveryMs = Math.max(recoveryMs, performance.now() - startedAt);
    }
    isOver = true;
    await Promise.all(clients);

    const stuck: string[] = [];
    const unfinished: Forgetful[] = [];
    for (const forgetful of forgetfuls) {
      const works = async (password: string) => (await login(client(), forgetful.email, password)).status === 200;
      const [old, fresh] = [await works(PASSWORD), await works(NEW_PASSWORD)];
      if (old === fresh || (forgetful.isReset && !fresh)) stuck.push(forgetful.email);
      if (old) unfinished.push(forgetful);
    }
    // Whoever has the old password still can ask again after the cool-down.
    for (const { email, askedAt } of unfinished.slice(0, 20)) {
      await sleep(Math.max(0, askedAt + COOL_DOWN_MS - performance.now()));
      const sent = (await codesSentTo(email)).length;
      const begun = await forgot(client(), email);
      let status = NaN;
      // The code of a process that was killed may arrive only now, before the one just asked for.
      for (let code = sent + 1; status !== 204 && code <= sent + 2; code += 1) {
        const newest = await recoveryCode({ env }, email, code);
        ({ status } = await reset(client(), begun.body.recoveryId, newest, 'a bridge of iron and steam'));
      }
      if (status !== 204) stuck.push(`${email} asked again: ${begun.status}, ${status}`);
    }
    const { sent, acknowledged, refused, unanswered } = counts;
    const row = { sent, acknowledged, refused: refused + unanswered, lost: stuck.length, recoveryMs };
    reportFault(`${KILLS} times kill -9 during recoveries`, row);
    expect([unexpected, stuck, await brokenRows(cluster.url)]).toEqual([[], [], []]);
    expect(resets()).toBeGreaterThanOrEqual(KILLS);
    expect(counts.unanswered).toBeGreaterThan(0);
  }, 900_000);
});
