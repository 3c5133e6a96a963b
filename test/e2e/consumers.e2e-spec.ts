import type { ApiClient } from '../support/api-client';
import { newPerson, PASSWORD, register, type SessionBody } from '../support/consumers';
import { TestApp } from '../support/test-app';

describe('the main flow', () => {
  let app: TestApp;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestApp.start();
    client = await app.client();
  });
  afterAll(() => app.close());

  it('registers a consumer, logs in, reads and changes the profile', async () => {
    const person = newPerson();
    const registered = await client.post<SessionBody>('/api/v1/register', person);
    console.log(registered);
    const loggedIn = await client.post<SessionBody>('/api/v1/login', { identifier: person.email, password: PASSWORD });
    console.log(loggedIn);
    const me = client.as(loggedIn.body.token);
    console.log(await me.get('/api/v1/me'));
    console.log(
      await me.patch('/api/v1/me', {
        firstName: 'Augusta',
        address: { country: 'GB', subdivision: 'GB-ENG' },
        attributes: { a: 1 },
      }),
    );
    console.log(
      await me.post('/api/v1/password/change', { currentPassword: PASSWORD, newPassword: 'hold fast to the engine' }),
    );
    console.log(await me.post('/api/v1/logout'));
    console.log(await me.get('/api/v1/me'));
    console.log(JSON.stringify(await client.post('/api/v1/register', {})));
    console.log(await client.get('/api/v1/nope'));
    console.log(await client.get('/api/v1/reference/countries/de/subdivisions'));
    await register(client);
  });
});
