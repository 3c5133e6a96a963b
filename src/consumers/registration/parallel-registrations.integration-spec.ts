import { ExpiredRows } from '../../platform/jobs/expired-rows';
import { ChannelProof } from '../../touchpoints/touchpoint.entity';
import type { ApiClient } from '../../../test/support/api/api-client';
import { newPerson, PASSWORD, type SessionBody } from '../../../test/support/api/consumers';
import { FixedClock } from '../../../test/support/in-process/fixed-clock';
import { codeSentTo, wrongCode } from '../../../test/support/messages/mailbox';
import type { ProblemBody } from '../../../test/support/api/problems';
import { TestApp } from '../../../test/support/in-process/test-app';

describe('registrations that wait for the proof of one address', () => {
  const clock = new FixedClock();
  let app: TestApp;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestApp.start({ clock });
    client = await app.client({ channelProof: ChannelProof.Email });
  });
  afterAll(() => app.close());

  /** Begins one when the cool-down of the address is over; `count` is how many codes were sent to it by then. */
  const begin = async (email: string, count: number, firstName = 'Ada') => {
    clock.advance({ minutes: 1 });
    const person = newPerson({ email, firstName });
    const { status, body } = await client.post<{ registrationId: string }>('/api/v1/register', person);
    expect(status).toBe(202);
    return { registrationId: body.registrationId, code: await codeSentTo(app, email, count) };
  };
  const complete = ({ registrationId, code }: { registrationId: string; code: string }) =>
    client.post<SessionBody & ProblemBody>('/api/v1/register/complete', { registrationId, code, password: PASSWORD });
  const countOf = async (table: string) => {
    const [row] = await app.dataSource.query<[{ count: number }]>(`SELECT count(*)::int AS count FROM ${table}`);
    return row.count;
  };

  it('are not ended by a stranger who registers with the same address later', async () => {
    const { email } = newPerson();
    const mine = await begin(email, 1, 'Augusta');
    await begin(email, 2, 'Mallory');
    const { status, body } = await complete(mine);
    expect(status).toBe(201);
    const me = await client.as(body.token).get('/api/v1/me');
    expect(me.body).toMatchObject({ firstName: 'Augusta', email, emailVerified: true });
  });

  it('do not tell whoever cannot read the messages that another one has been proven', async () => {
    const { email } = newPerson();
    const mine = await begin(email, 1);
    const strangers = await begin(email, 2);
    const guess = async () => (await complete({ ...strangers, code: wrongCode(strangers.code) })).body.code;
    expect(await guess()).toBe('CODE_INVALID');
    expect((await complete(mine)).status).toBe(201);
    for (let guesses = 1; guesses < 5; guesses += 1) expect(await guess()).toBe('CODE_INVALID');
    expect(await guess()).toBe('CODE_ATTEMPTS_EXCEEDED');
  });

  it('meet the owner of an address that another one has proven, when the right code comes', async () => {
    const { email } = newPerson();
    const [first, second] = [await begin(email, 1), await begin(email, 2)];
    expect((await complete(first)).status).toBe(201);
    const refused = await complete(second);
    expect([refused.status, refused.body.code]).toEqual([409, 'IDENTIFIER_TAKEN']);
  });

  it('make one consumer when all are completed at once', async () => {
    const { email } = newPerson();
    const begun = [];
    for (const count of [1, 2, 3, 4, 5]) begun.push(await begin(email, count));
    const consumers = await countOf('consumer');
    const answers = await Promise.all(begun.map(complete));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect(await countOf('consumer')).toBe(consumers + 1);
  });

  it('are no more than the codes that may be sent to the address, and are all cleared', async () => {
    const { email } = newPerson();
    for (const count of [1, 2, 3, 4, 5]) await begin(email, count);
    clock.advance({ minutes: 1 });
    expect((await client.post('/api/v1/register', newPerson({ email }))).body.code).toBe('RESEND_TOO_SOON');
    const [open] = await app.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM challenge WHERE destination = $1',
      [email],
    );
    expect(open.count).toBe(5);
    clock.advance({ minutes: 10 });
    await app.nest.get(ExpiredRows).deleteAll();
    expect([await countOf('challenge'), await countOf('pending_registration')]).toEqual([0, 0]);
  });
});
