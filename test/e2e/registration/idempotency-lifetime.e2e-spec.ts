import type { ApiClient } from '../../support/api/api-client';
import { newPerson, PASSWORD } from '../../support/api/consumers';
import { isReplay, newKey, outcomeOf, sendKeyed } from '../../support/api/idempotency';
import { codeSentTo } from '../../support/messages/mailbox';
import { TestService } from '../../support/service/test-service';

const COMPLETE = '/api/v1/register/complete';

describe('an Idempotency-Key whose request has been answered', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.withStoppedClock();
    client = await app.client();
  });

  const livesAs = async (token: string) => (await client.as(token).get('/api/v1/me')).body.customerId;

  it('repeats the completion of a registration, whose code is spent', async () => {
    const proving = await app.client({ channelProof: 'EMAIL' });
    const person = newPerson({ password: undefined });
    const { body: started } = await sendKeyed(proving, newKey(), person);
    const code = await codeSentTo(app, person.email);
    const completion = { registrationId: started.registrationId, code, password: PASSWORD };
    const key = newKey();
    expect((await sendKeyed(proving, key, { ...completion, password: 'short' }, COMPLETE)).status).toBe(400);
    const answers = await Promise.all(Array.from({ length: 8 }, () => sendKeyed(proving, key, completion, COMPLETE)));
    const { body } = await sendKeyed(proving, key, completion, COMPLETE);
    expect(await livesAs(body.token)).toBe(body.customerId);
    for (const answer of answers) {
      if (answer.status === 201) expect(answer.body.customerId).toBe(body.customerId);
      else expect(answer.body.code).toBe('REQUEST_IN_PROGRESS');
    }
    await app.clock.advance({ minutes: 11 });
    expect(outcomeOf(await sendKeyed(proving, key, completion, COMPLETE))).toEqual([201, body.customerId, 'replayed']);
    expect((await sendKeyed(proving, newKey(), completion, COMPLETE)).body.code).toBe('CODE_EXPIRED');
  });

  it('is remembered for 24 hours', async () => {
    const key = newKey();
    const person = newPerson({ email: undefined });
    const { body } = await sendKeyed(client, key, person);
    await app.clock.advance({ minutes: 24 * 60 - 1 });
    expect(outcomeOf(await sendKeyed(client, key, person))).toEqual([201, body.customerId, 'replayed']);
    await app.clock.advance({ minutes: 1 });
    const anew = await sendKeyed(client, key, person);
    expect([anew.status, isReplay(anew), anew.body.customerId === body.customerId]).toEqual([201, false, false]);
  });

  it('opens no session for an old password once the password has changed', async () => {
    for (let round = 0; round < 5; round += 1) {
      const key = newKey();
      const person = newPerson();
      const { body } = await sendKeyed(client, key, person);
      const change = { currentPassword: PASSWORD, newPassword: 'hold fast to the analytical engine' };
      const [changed, ...retries] = await Promise.all([
        client.as(body.token).post('/api/v1/password/change', change),
        ...Array.from({ length: 6 }, () => sendKeyed(client, key, person)),
      ]);
      expect(changed.status).toBe(204);
      for (const { status, body: retried } of retries) {
        if (status === 201) expect(await livesAs(retried.token)).toBeUndefined();
        else expect(retried.code).toBe('INVALID_CREDENTIALS');
      }
      expect((await sendKeyed(client, key, person)).body.code).toBe('INVALID_CREDENTIALS');
      expect(await livesAs(body.token)).toBe(body.customerId);
    }
  });
});
