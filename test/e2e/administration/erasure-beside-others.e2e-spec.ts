import { randomInt } from 'node:crypto';
import type { ApiClient } from '../../support/api/api-client';
import { PASSWORD, register } from '../../support/api/consumers';
import { traceablePerson } from '../../support/api/traceable-person';
import { codeSentTo } from '../../support/messages/mailbox';
import { TestService } from '../../support/service/test-service';
import { tracesOf } from '../../support/service/database/traces';

describe('commands that erase consumers beside other requests', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.shared();
    client = await app.client();
  });

  const cli = (...args: string[]) => app.cli('consumer', ...args);
  const json = async <T>(...args: string[]): Promise<T> => {
    const { exitCode, stdout, stderr } = await cli(...args, '--json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return JSON.parse(stdout) as T;
  };

  it('leave alone what another consumer has proven', async () => {
    const owner = traceablePerson();
    const { token } = await register(client, owner);
    await client.as(token).post('/api/v1/verifications/sms/request');
    const { phone } = owner;
    const claimant = await register(client, traceablePerson());
    expect((await client.as(claimant.token).patch('/api/v1/me', { phone })).status).toBe(200);
    const confirmed = await client
      .as(token)
      .post('/api/v1/verifications/sms/confirm', { code: await codeSentTo(app, phone) });
    expect(confirmed.status).toBe(200);
    await json('erase', claimant.customerId, '--yes');
    expect((await client.as(token).get('/api/v1/me')).body).toMatchObject({ phone, phoneVerified: true });
    expect(await codeSentTo(app, phone)).toMatch(/^\d{6}$/);
  });

  it('erase a consumer whose requests are running, and fail none of those', async () => {
    const person = traceablePerson();
    const { customerId, token } = await register(client, person);
    const me = client.as(token).with({ 'X-Consumer-IP': '203.0.113.11' });
    const requests = [
      () => me.get('/api/v1/me'),
      () => me.patch('/api/v1/me', { firstName: person.firstName, lastName: `${person.lastName}${randomInt(1_000)}` }),
      () => me.patch('/api/v1/me', { email: traceablePerson().email }),
      () => me.post('/api/v1/verifications/sms/request'),
      () => me.post('/api/v1/login', { identifier: person.phone, password: PASSWORD }),
      () => me.post('/api/v1/password/change', { currentPassword: PASSWORD, newPassword: 'another horse battery' }),
    ];
    const statuses = new Set<number>();
    let erased = false;
    const loops = requests.map(async (send) => {
      while (!erased) statuses.add((await send()).status);
    });
    await json('erase', customerId, '--yes').finally(() => {
      erased = true;
    });
    await Promise.all(loops);
    expect([...statuses].filter((status) => status >= 500)).toEqual([]);
    expect(statuses).toContain(200);
    expect((await me.get('/api/v1/me')).status).toBe(401);
    expect(await tracesOf(app, [person.firstName, person.lastName, person.phone])).toEqual([]);
  });
});
