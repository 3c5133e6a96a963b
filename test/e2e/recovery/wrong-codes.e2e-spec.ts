import { randomInt } from 'node:crypto';
import type { ApiClient } from '../../support/api/api-client';
import { newPerson } from '../../support/api/consumers';
import { begin, newVerified, outcomeOf, recoveryCode, reset, tally } from '../../support/api/recovery';
import { wrongCode } from '../../support/messages/mailbox';
import { TestService } from '../../support/service/test-service';

const PER_ADDRESS = 30;

const together = <T>(count: number, task: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => task(index)));

const newIp = (): string => `198.51.${randomInt(100, 255)}.${randomInt(1, 255)}`;

describe('codes for a new password', () => {
  let app: TestService;
  let client: ApiClient;
  let other: TestService;
  let replicas: ApiClient[];

  beforeAll(async () => {
    app = await TestService.withStoppedClock();
    client = await app.client();
    other = await TestService.start({ replicaOf: app, clock: 'stopped' });
    replicas = [client, client.at(other.baseUrl)];
  });

  /** The window of an address ends by the clock of the replica that counted first. */
  const advance = async (minutes: number) => {
    for (const { clock } of [app, other]) await clock.advance({ minutes });
  };
  const at = (index: number): ApiClient => replicas[index % 2] ?? client;
  const forgetful = async () => {
    const { email } = await newVerified(app, client);
    await advance(2);
    return { recoveryId: await begin(client, email), code: await recoveryCode(app, email) };
  };
  const decoys = (count: number) => together(count, () => begin(client, newPerson().email));

  it('are judged five times, however many wrong ones come at once at two replicas', async () => {
    const { recoveryId, code } = await forgetful();
    const answers = await together(100, (index) => reset(at(index), recoveryId, wrongCode(code)));
    expect(tally(answers)).toEqual({ CODE_INVALID: 5, CODE_ATTEMPTS_EXCEEDED: 95 });
  });

  it('work once, however many right ones come at once at two replicas', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { recoveryId, code } = await forgetful();
      const answers = await together(100, (index) =>
        reset(at(index), recoveryId, code, `a new password, no. ${index}`),
      );
      const { '204': done, CODE_EXPIRED = 0, CODE_ATTEMPTS_EXCEEDED = 0 } = tally(answers);
      expect([done, CODE_EXPIRED + CODE_ATTEMPTS_EXCEEDED]).toEqual([1, 99]);
    }
  });

  it('are refused after thirty wrong ones from one consumer’s address in an hour, the right one too', async () => {
    const { recoveryId, code } = await forgetful();
    const ip = newIp();
    const from = (index: number) => at(index).with({ 'X-Consumer-IP': ip });
    const ids = await decoys(7);
    const answers = await together(ids.length * 5, (index) => reset(from(index), ids[index % 7] ?? '', '12345678'));
    expect(tally(answers)).toEqual({ CODE_INVALID: PER_ADDRESS, LOGIN_THROTTLED: 5 });
    const refused = await reset(from(0), recoveryId, code);
    expect([outcomeOf(refused), refused.headers.get('Retry-After')]).toEqual(['LOGIN_THROTTLED', '3600']);
    // At another address, or another touchpoint, nothing of this counts.
    const elsewhere = (await app.client()).with({ 'X-Consumer-IP': ip });
    expect(outcomeOf(await reset(elsewhere, recoveryId, code))).toBe('CODE_EXPIRED');
    expect(outcomeOf(await reset(client.with({ 'X-Consumer-IP': newIp() }), recoveryId, code))).toBe('204');
    await advance(60);
    expect(outcomeOf(await reset(from(0), recoveryId, code))).toBe('CODE_EXPIRED');
  });

  it('count at the consumer’s address only when they are compared and wrong', async () => {
    const from = client.with({ 'X-Consumer-IP': newIp() });
    const { recoveryId, code } = await forgetful();
    for (let time = 0; time < PER_ADDRESS + 5; time += 1) {
      expect(outcomeOf(await reset(from, 'unknown', '12345678'))).toBe('CODE_EXPIRED');
    }
    expect(outcomeOf(await reset(from, recoveryId, code))).toBe('204');
  });
});
