import type { ApiClient } from '../../support/api/api-client';
import { newPerson, PASSWORD, register } from '../../support/api/consumers';
import { codeSentTo, wrongCode } from '../../support/messages/mailbox';
import { TestService } from '../../support/service/test-service';

const AT_ONCE = 40;

const statusOf = async (answer: Promise<{ status: number }>) => (await answer).status;

async function refusalOf(answer: Promise<{ status: number; body: { code: string } }>): Promise<string> {
  const { status, body } = await answer;
  return `${status} ${body.code}`;
}

const guessPassword = (client: ApiClient, identifier: string, password = 'a wrong guess') =>
  statusOf(client.post('/api/v1/login', { identifier, password }));

const complete = (client: ApiClient, registrationId: string, code: string) =>
  client.post<{ code: string }>('/api/v1/register/complete', { registrationId, code, password: PASSWORD });

async function beginRegistration(app: TestService, client: ApiClient) {
  const { email, password: _, ...person } = newPerson();
  const { body } = await client.post<{ registrationId: string }>('/api/v1/register', { ...person, email });
  return { ...body, code: await codeSentTo(app, email) };
}

/** How many answers said each. */
function counted(statuses: (number | string)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('of many guesses at two replicas at once', () => {
  let app: TestService;
  let replica: TestService;

  beforeAll(async () => {
    app = await TestService.shared();
    replica = await TestService.start({ replicaOf: app });
  });

  const together = async (client: ApiClient, send: (client: ApiClient) => Promise<number | string>) => {
    const there = client.at(replica.baseUrl);
    return counted(await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => send(index % 2 ? there : client))));
  };

  it('ten at a password are compared', async () => {
    const client = await app.client();
    const { email } = await register(client);
    expect(await together(client, (at) => guessPassword(at, email))).toEqual({ 401: 10, 429: AT_ONCE - 10 });
    expect(await guessPassword(client, email, PASSWORD)).toBe(429);
  });

  it('five at a code are compared', async () => {
    const client = await app.client({ channelProof: 'EMAIL' });
    const { registrationId, code } = await beginRegistration(app, client);
    expect(await together(client, (at) => refusalOf(complete(at, registrationId, wrongCode(code))))).toEqual({
      '400 CODE_INVALID': 5,
      '410 CODE_ATTEMPTS_EXCEEDED': AT_ONCE - 5,
    });
    expect(await refusalOf(complete(client, registrationId, code))).toBe('410 CODE_ATTEMPTS_EXCEEDED');
  });

  it('one that is right spends the code', async () => {
    const client = await app.client({ channelProof: 'EMAIL' });
    const { registrationId, code } = await beginRegistration(app, client);
    expect(await together(client, (at) => statusOf(complete(at, registrationId, code)))).toEqual({
      201: 1,
      410: AT_ONCE - 1,
    });
  });
});

describe('guesses', () => {
  it('are remembered when the service starts again', async () => {
    const app = await TestService.start();
    const { email } = newPerson();
    const touchpoint = await app.client({ channelProof: 'EMAIL' });
    const { registrationId, code } = await beginRegistration(app, touchpoint);
    for (let guess = 0; guess < 5; guess += 1) {
      expect(await refusalOf(complete(touchpoint, registrationId, wrongCode(code)))).toBe('400 CODE_INVALID');
    }
    for (let guess = 0; guess < 10; guess += 1) expect(await guessPassword(touchpoint, email)).toBe(401);

    await app.restart();
    expect(await refusalOf(complete(touchpoint, registrationId, code))).toBe('410 CODE_ATTEMPTS_EXCEEDED');
    expect(await guessPassword(touchpoint, email)).toBe(429);
  });
});
