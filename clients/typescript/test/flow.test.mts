import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiProblem, ConsumerServiceClient, type Registration } from 'consumer-service-client';
import { type Service, startService } from './service.mjs';

const PASSWORD = 'correct horse battery staple';
const NEW_PASSWORD = 'hold fast to the analytical engine';

const ada = (fields: Partial<Registration> = {}): Registration => ({
  ...{ type: 'PERSON', firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com', password: PASSWORD },
  ...fields,
});

const refusedWith = (code: string, status: number) => (error: unknown) =>
  error instanceof ApiProblem && error.code === code && error.status === status && error.requestId !== undefined;

describe('the client', () => {
  let service: Service;
  let client: ConsumerServiceClient;

  before(async () => {
    service = await startService();
    client = new ConsumerServiceClient({ baseUrl: service.baseUrl, touchpoint: service.touchpoint() });
  });
  after(() => service.stop());

  it('registers a consumer, logs in, reads and changes the profile, verifies an address, changes the password, logs out', async () => {
    const registered = await client.register(ada());
    assert.ok('token' in registered);
    const { customerId, token } = await client.login({ identifier: 'ada@example.com', password: PASSWORD });
    assert.equal(customerId, registered.customerId);

    const consumer = client.as(token);
    const { profile, etag } = await consumer.me();
    assert.equal(profile.email, 'ada@example.com');
    assert.ok(etag !== null);
    const changed = await consumer.updateMe({ firstName: 'Augusta', birthDate: '1815-12-10' }, { ifMatch: etag });
    assert.deepEqual([changed.profile.firstName, changed.profile.birthDate], ['Augusta', '1815-12-10']);
    await assert.rejects(
      consumer.updateMe({ firstName: 'Ada' }, { ifMatch: etag }),
      refusedWith('PRECONDITION_FAILED', 412),
    );

    assert.equal((await consumer.requestVerification('email')).destination, 'a***@e***.com');
    const { verified } = await consumer.confirmVerification('email', await service.codeSentTo('ada@example.com'));
    assert.equal(verified, true);

    await consumer.changePassword({ currentPassword: PASSWORD, newPassword: NEW_PASSWORD });
    await assert.rejects(client.as(registered.token).me(), refusedWith('UNAUTHENTICATED', 401));
    await consumer.logout();
    await assert.rejects(consumer.me(), refusedWith('UNAUTHENTICATED', 401));
    await client.login({ identifier: customerId, password: NEW_PASSWORD });
  });

  it('completes a registration with the code that was sent', async () => {
    const touchpoint = service.touchpoint('--channel-proof', 'EMAIL');
    const proving = new ConsumerServiceClient({ baseUrl: service.baseUrl, touchpoint });
    const begun = await proving.register(ada({ email: 'grace@example.com' }));
    assert.ok('registrationId' in begun);
    const code = await service.codeSentTo('grace@example.com');
    const { token } = await proving.completeRegistration({ registrationId: begun.registrationId, code });
    const { profile } = await proving.as(token).me();
    assert.deepEqual([profile.emailVerified, profile.hasPassword], [true, true]);
  });

  it('registers once however often it sends the same registration', async () => {
    const [idempotencyKey, body] = ['a key of ours'.replaceAll(' ', '-'), ada({ email: 'once@example.com' })];
    const sessions = await Promise.all([1, 2, 3, 4].map(() => client.register(body, { idempotencyKey })));
    const ids = new Set(sessions.map((session) => ('customerId' in session ? session.customerId : null)));
    assert.equal(ids.size, 1);
    await assert.rejects(client.register(body), refusedWith('IDENTIFIER_TAKEN', 409));
  });

  it('tells which fields are not valid', async () => {
    const problem = await client.register(ada({ firstName: '', email: 'nonsense' })).then(
      () => null,
      (error: unknown) => error as ApiProblem,
    );
    assert.ok(problem instanceof ApiProblem);
    assert.deepEqual(
      problem.errors.map(({ field, code }) => `${field} ${code}`),
      ['firstName TOO_SHORT', 'email INVALID_FORMAT'],
    );
  });

  it('reads the reference data', async () => {
    const countries = await client.countries('de');
    assert.equal(countries.find(({ code }) => code === 'DE')?.name, 'Deutschland');
    assert.ok((await client.subdivisions('CH')).some(({ code }) => code === 'CH-ZH'));
    await assert.rejects(client.subdivisions('XX'), refusedWith('COUNTRY_NOT_FOUND', 404));
  });

  it('waits out a rate limit that is a second away, and tells how far away it is', async () => {
    const touchpoint = service.touchpoint('--rate-limit', '2/1');
    const limited = new ConsumerServiceClient({ baseUrl: service.baseUrl, touchpoint });
    const answers = await Promise.all([1, 2, 3, 4].map(() => limited.subdivisions('CH')));
    assert.equal(answers.length, 4);
    const hasty = new ConsumerServiceClient({ baseUrl: service.baseUrl, touchpoint, retry: { attempts: 1 } });
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => hasty.subdivisions('CH')));
    const refused = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as ApiProblem] : [],
    );
    assert.ok(refused.length >= 2);
    for (const { code, retryAfter } of refused) assert.deepEqual([code, retryAfter], ['RATE_LIMITED', 1]);
  });
});
