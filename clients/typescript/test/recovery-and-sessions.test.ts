import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiProblem, ConsumerServiceClient, type Registration } from '../src/index.js';
import { type Service, startService } from './service.js';

const PASSWORD = 'correct horse battery staple';
const NEW_PASSWORD = 'hold fast to the analytical engine';

const person = (email: string): Registration => ({
  ...{ type: 'PERSON', firstName: 'Ada', lastName: 'Lovelace', email, password: PASSWORD },
});

const refusedWith = (code: string) => (error: unknown) => error instanceof ApiProblem && error.code === code;

describe('the client', () => {
  let service: Service;
  let client: ConsumerServiceClient;

  before(async () => {
    service = await startService();
    const touchpoint = service.touchpoint('--session-max', '8h');
    client = new ConsumerServiceClient({ baseUrl: service.baseUrl, touchpoint });
  });
  after(() => service.stop());

  const signedIn = async (email: string) => {
    await client.register(person(email));
    return client.as((await client.login({ identifier: email, password: PASSWORD })).token);
  };

  it('replaces a forgotten password by the code that was sent', async () => {
    const email = 'forgetful@example.com';
    const before = await signedIn(email);
    const { recoveryId, destination } = await client.forgotPassword(email, { consumerIp: '203.0.113.7' });
    assert.equal(destination, 'f***@e***.com');
    await assert.rejects(client.forgotPassword(email), refusedWith('RESEND_TOO_SOON'));

    const code = await service.codeSentTo(email);
    const reset = { recoveryId, newPassword: NEW_PASSWORD };
    const wrong = code === '00000000' ? '00000001' : '00000000';
    await assert.rejects(client.resetPassword({ ...reset, code: wrong }), refusedWith('CODE_INVALID'));
    await client.resetPassword({ ...reset, code });
    await assert.rejects(before.me(), refusedWith('UNAUTHENTICATED'));
    await assert.rejects(client.login({ identifier: email, password: PASSWORD }), refusedWith('INVALID_CREDENTIALS'));
    await client.login({ identifier: email, password: NEW_PASSWORD });
  });

  it('resets once however often it repeats the call with the same key', async () => {
    const email = 'twice@example.com';
    await signedIn(email);
    const idempotencyKey = 'forgot-twice';
    const [first, second] = await Promise.all([1, 2].map(() => client.forgotPassword(email, { idempotencyKey })));
    assert.deepEqual(first, second);
    const body = {
      recoveryId: first?.recoveryId ?? '',
      code: await service.codeSentTo(email),
      newPassword: NEW_PASSWORD,
    };
    for (let time = 0; time < 2; time += 1) await client.resetPassword(body, { idempotencyKey: 'reset-twice' });
  });

  it('extends a session, lists the sessions and ends one', async () => {
    const email = 'active@example.com';
    const first = await signedIn(email);
    const extended = client.as((await first.extend()).token);
    const second = client.as((await client.login({ identifier: email, password: PASSWORD })).token);

    const [other, ...more] = (await extended.sessions()).filter(({ current }) => !current);
    assert.ok(other);
    // The registration opened a session too.
    assert.equal(more.length, 1);
    await extended.endSession(other.sessionId);
    await assert.rejects(second.me(), refusedWith('UNAUTHENTICATED'));
    await first.me();
    await assert.rejects(extended.endSession('00000000-0000-4000-8000-000000000000'), refusedWith('NOT_FOUND'));

    const plain = new ConsumerServiceClient({ baseUrl: service.baseUrl, touchpoint: service.touchpoint() });
    const { token } = await plain.login({ identifier: email, password: PASSWORD });
    await assert.rejects(plain.as(token).extend(), refusedWith('SESSION_EXTENSION_NOT_ALLOWED'));
  });
});
