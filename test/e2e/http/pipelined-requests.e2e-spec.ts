import type { ApiClient } from '../../support/api/api-client';
import { register } from '../../support/api/consumers';
import { chunked, CHUNKED, HOST, JSON_TYPE, withLength } from '../../support/http/raw-cases';
import { rawRequest, sendRaw } from '../../support/http/raw-http';
import { TestService } from '../../support/service/test-service';

describe('requests that follow on one connection', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.shared();
    client = await app.client();
  });

  const countries = () => rawRequest('GET /api/v1/reference/countries', { ...HOST, ...client.headers });

  it('are answered one after the other, in their order', async () => {
    const login = rawRequest(
      'POST /api/v1/login',
      { ...HOST, ...client.headers, ...JSON_TYPE, ...withLength('{}') },
      '{}',
    );
    const last = rawRequest('GET /x', { Connection: 'close' });
    const bytes = (login + countries()).repeat(20) + last;
    const { answers } = await sendRaw(app.baseUrl, bytes, { untilClosed: true });
    expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 20 }, () => [400, 200]).flat(), 401]);
  });

  it('are not performed after one whose answer ends the connection', async () => {
    const { token } = await register(client);
    const consumer = client.as(token);
    const logout = rawRequest('POST /api/v1/logout', { ...HOST, ...consumer.headers, ...withLength('') });
    for (const target of ['/api/v1/none', '/api/v1/reference/countries', '/health/live']) {
      const unread = rawRequest(`POST ${target}`, { ...HOST, ...client.headers, ...CHUNKED }, chunked('{}') + logout);
      const { answers } = await sendRaw(app.baseUrl, unread, { untilClosed: true });
      expect(answers).toHaveLength(1);
    }
    const closing = rawRequest('GET /health/live', { ...HOST, Connection: 'close' }) + logout;
    expect((await sendRaw(app.baseUrl, closing, { untilClosed: true })).answers).toHaveLength(1);
    expect((await consumer.get('/api/v1/me')).status).toBe(200);
  });

  it('are not taken in without bound while the first has no answer', async () => {
    const { answers } = await sendRaw(app.baseUrl, countries().repeat(2000), { untilClosed: true });
    expect(answers.length).toBeLessThan(2000);
  });
});
