import type { ApiClient } from '../../support/api/api-client';
import { newPerson } from '../../support/api/consumers';
import { isReplay, newKey, outcomeOf, sendKeyed } from '../../support/api/idempotency';
import { TestService } from '../../support/service/test-service';
import { until } from '../../support/until';

const LEASE_SECONDS = 60;

describe('an Idempotency-Key whose request has not been answered', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    // Requests that hash for long can be overtaken.
    app = await TestService.start({ clock: 'stopped', env: { BCRYPT_COST: '11' } });
    client = await app.client();
  });

  const untilBegun = () =>
    until(async () => (await app.query('SELECT 1 FROM idempotency_record WHERE outcome IS NULL')).length > 0);

  it('is blocked by a request that crashed only until its lease ends', async () => {
    const crashing = await TestService.start({ replicaOf: app, clock: 'stopped', env: { BCRYPT_COST: '15' } });
    const key = newKey();
    const person = newPerson({ email: undefined });
    const crashed = expect(sendKeyed(client.at(crashing.baseUrl), key, person)).rejects.toThrow();
    await untilBegun();
    crashing.signal('SIGKILL');
    await crashed;

    expect((await sendKeyed(client, key, person)).body.code).toBe('REQUEST_IN_PROGRESS');
    expect((await sendKeyed(client, key, newPerson())).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
    await app.clock.advance({ seconds: LEASE_SECONDS });
    const second = await sendKeyed(client, key, person);
    expect([second.status, isReplay(second)]).toEqual([201, false]);
    expect(outcomeOf(await sendKeyed(client, key, person))).toEqual([201, second.body.customerId, 'replayed']);
  });

  it('leaves nothing behind of a request that outlives its lease when another has taken the key', async () => {
    // The one hashing thread is busy with these, so that the first request waits.
    const others = Array.from({ length: 6 }, () => client.post('/api/v1/register', newPerson()));
    const key = newKey();
    const person = newPerson({ email: undefined, lastName: 'Overtaken' });
    const first = sendKeyed(client, key, person);
    await untilBegun();
    await app.clock.advance({ seconds: LEASE_SECONDS });
    const second = sendKeyed(client, key, person);
    expect((await first).body.code).toBe('REQUEST_IN_PROGRESS');
    const { status, body } = await second;
    expect(status).toBe(201);
    expect(outcomeOf(await sendKeyed(client, key, person))).toEqual([201, body.customerId, 'replayed']);
    expect(await app.query('SELECT 1 FROM consumer WHERE last_name = $1', [person.lastName])).toHaveLength(1);
    await Promise.all(others);
  });
});
