import type { Server } from 'node:http';
import { ApiClient } from '../../test/support/api/api-client';
import { newPerson, PASSWORD, type SessionBody } from '../../test/support/api/consumers';
import { EVENTS } from '../../test/support/api/subscribers';
import { TestApp } from '../../test/support/in-process/test-app';
import { until } from '../../test/support/until';
import { SERVICE_ORIGIN } from '../audit/origin';
import { SubscribersService } from '../events/subscribers/subscribers.service';

describe('requests and answers', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.start();
  });
  afterAll(() => app.close());

  async function subscriber(): Promise<ApiClient> {
    const settings = { types: [], touchpoints: [], readsConsumers: false };
    const { key } = await app.nest
      .get(SubscribersService)
      .create('crm', settings, { fromStart: false }, SERVICE_ORIGIN);
    return new ApiClient(app.baseUrl, { 'X-Subscriber-Code': 'crm', 'X-Subscriber-Key': key });
  }

  it('get no field after their beginning', async () => {
    const ended: string[] = [];
    (app.nest.getHttpServer() as Server).prependListener('request', (request, response) => {
      const call = `${request.method} ${request.url}`;
      const begun = [request, response].map((message) => new Set(Reflect.ownKeys(message)));
      response.once('close', () => {
        const added = [request, response].flatMap((message, index) =>
          Reflect.ownKeys(message).filter((key) => !begun[index]?.has(key)),
        );
        ended.push([call, response.statusCode, ...added.map(String)].join(' '));
      });
    });
    const client = await app.client();
    const person = newPerson();
    const registering = client.with({ 'Idempotency-Key': 'a-key' });
    const { body } = await registering.post<SessionBody>('/api/v1/register', person);
    const consumer = client.with({ Authorization: `Bearer ${body.token}` });
    await client.post('/api/v1/login', { identifier: person.email, password: PASSWORD });
    await consumer.get('/api/v1/me');
    await consumer.post('/api/v1/logout', {});
    await consumer.get('/api/v1/me');
    await client.get('/api/v1/reference/countries');
    await client.get('/api/v1/unknown');
    await (await subscriber()).get(EVENTS);
    await client.get('/docs/swagger-ui.css');
    await until(() => ended.length === 9);
    expect(ended.sort()).toEqual([
      'GET /api/v1/me 200',
      'GET /api/v1/me 401',
      'GET /api/v1/reference/countries 200',
      'GET /api/v1/unknown 404',
      'GET /docs/swagger-ui.css 200',
      'GET /integration/v1/events 200',
      'POST /api/v1/login 200',
      'POST /api/v1/logout 204',
      'POST /api/v1/register 201',
    ]);
  });
});
