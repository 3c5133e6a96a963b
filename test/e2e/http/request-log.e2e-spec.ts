import { randomUUID } from 'node:crypto';
import type { Answer, ApiClient } from '../../support/api/api-client';
import { newPerson, newPhone, PASSWORD, type SessionBody } from '../../support/api/consumers';
import { loggedOf } from '../../support/service/log-lines';
import { TestService } from '../../support/service/test-service';

describe('the log of requests', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.shared();
    client = await app.client();
  });

  it('tells of each in one line of JSON, without anything secret or personal', async () => {
    const before = app.log.length;
    const phone = newPhone();
    const person = newPerson({ phone, firstName: 'Grace', lastName: 'Hopper-Murray' });
    const newEmail = newPerson().email;
    const secretQuery = 'token=in-the-address';
    const { body: session } = await client.post<SessionBody>('/api/v1/register', person);
    const login = (password: string) => (backend: ApiClient) =>
      backend.post('/api/v1/login', { identifier: person.email, password });

    /** Sends a request with an id of its own, and reads what was logged of it. */
    const logged = async (send: (backend: ApiClient) => Promise<Answer<unknown>>, status: number) => {
      const requestId = randomUUID();
      const answer = await send(client.with({ 'X-Request-Id': requestId }));
      expect(answer.status).toBe(status);
      const lines = await loggedOf(app, requestId);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatchObject({ level: 'info', requestId, status, durationMs: expect.any(Number) as number });
      return lines[0];
    };
    expect(await logged((backend) => backend.as(session.token).get(`/api/v1/me?${secretQuery}`), 200)).toMatchObject({
      method: 'GET',
      route: '/api/v1/me',
      touchpoint: client.headers['X-Touchpoint-Code'],
    });
    await logged((backend) => backend.post('/api/v1/register', person), 409);
    await logged(login(PASSWORD), 200);
    expect(await logged(login('wrong-password'), 401)).toMatchObject({ code: 'INVALID_CREDENTIALS' });
    await logged((backend) => backend.post('/api/v1/login', `{"password":"${PASSWORD}`), 400);
    await logged((backend) => backend.as(session.token).patch('/api/v1/me', { email: newEmail }), 200);
    await logged((backend) => backend.with({ 'X-Touchpoint-Key': 'tpk_wrong' }).get(`/x/${person.email}`), 401);
    await logged((backend) => backend.get(`/api/v1/${person.email}`), 404);
    await logged((backend) => backend.as(session.token).post('/api/v1/logout'), 204);

    const key = client.headers['X-Touchpoint-Key'] ?? '';
    const [header = '', payload = '', signature = ''] = session.token.split('.');
    const secrets = [key, key.slice(4, 30), 'tpk_', header, payload, signature, PASSWORD, 'wrong-password'];
    const personal = [
      person.email,
      person.email.toUpperCase(),
      phone.slice(1),
      'Grace',
      'Hopper',
      newEmail,
      secretQuery,
    ];
    const told = app.log.slice(before);
    for (const text of [...secrets, ...personal]) expect(told).not.toContain(text);
  });
});
