import { ChannelProof } from '../../touchpoints/touchpoint.entity';
import { newPerson, register } from '../../../test/support/api/consumers';
import { codeSentTo } from '../../../test/support/messages/mailbox';
import { writesOf } from '../../../test/support/in-process/statement-order';
import { TestApp } from '../../../test/support/in-process/test-app';

const ALLOWANCES = 'send_allowance';

describe('rows that many requests share', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.start();
  });
  afterAll(() => app.close());

  /** What one transaction wrote that wrote to this table. */
  const transactionWith = (table: string, writes: string[]) => {
    const end = writes.findIndex((write, index) => write === 'COMMIT' && writes.slice(0, index).includes(table));
    const start = writes.lastIndexOf('COMMIT', end - 1) + 1;
    return writes.slice(start, end);
  };

  it('are not held by a registration while it writes anything of its own', async () => {
    const client = await app.client({ channelProof: ChannelProof.Email });
    const keyed = client.with({ 'Idempotency-Key': 'one-registration-and-its-locks' });
    const writes = await writesOf(app.dataSource, async () => {
      expect((await keyed.post('/api/v1/register', newPerson())).status).toBe(202);
    });
    const written = transactionWith(ALLOWANCES, writes);
    expect(written.at(-1)).toBe(ALLOWANCES);
    expect(written).toEqual(
      expect.arrayContaining(['send_limit', 'challenge', 'pending_registration', 'audit_event', 'idempotency_record']),
    );
  });

  it('are not held by a request for a code while it writes anything of its own', async () => {
    const client = await app.client();
    const me = client.as((await register(client)).token);
    const writes = await writesOf(app.dataSource, async () => {
      expect((await me.post('/api/v1/verifications/email/request')).status).toBe(202);
    });
    const written = transactionWith(ALLOWANCES, writes);
    expect(written.at(-1)).toBe(ALLOWANCES);
    expect(written).toEqual(expect.arrayContaining(['send_limit', 'challenge', 'audit_event']));
  });

  it('are not touched by a request that its destination refuses', async () => {
    const client = await app.client({ channelProof: ChannelProof.Email });
    const person = newPerson();
    await client.post('/api/v1/register', person);
    const writes = await writesOf(app.dataSource, async () => {
      expect((await client.post('/api/v1/register', person)).status).toBe(429);
    });
    expect(writes).toContain('send_limit');
    expect(writes).not.toContain(ALLOWANCES);
  });

  it('of the notices to an address are not held by a change while it writes to other identifiers', async () => {
    const client = await app.client();
    const phone = '+12025550139';
    const { token, email } = await register(client, { phone });
    const me = client.as(token);
    for (const [channel, address] of Object.entries({ email, sms: phone })) {
      await me.post(`/api/v1/verifications/${channel}/request`);
      await me.post(`/api/v1/verifications/${channel}/confirm`, { code: await codeSentTo(app, address) });
    }
    const writes = await writesOf(app.dataSource, async () => {
      expect((await me.patch('/api/v1/me', { email: null, phone: '+12025550140' })).status).toBe(200);
    });
    const written = transactionWith('identifier', writes);
    expect(written).toContain('send_limit');
    expect(written.lastIndexOf('identifier')).toBeLessThan(written.indexOf('send_limit'));
  });
});
