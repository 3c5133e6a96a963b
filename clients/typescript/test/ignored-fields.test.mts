import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConsumerServiceClient } from 'consumer-service-client';

/** What the client tells of one registration that is answered so. */
async function toldOf(answer: Response) {
  const told: [names: string[], path: string][] = [];
  const client = new ConsumerServiceClient({
    ...{ baseUrl: 'http://service.invalid', touchpoint: { code: 'shop', key: 'tpk_' } },
    onIgnoredFields: (names, { url }) => told.push([names, new URL(url).pathname]),
    fetch: () => Promise.resolve(answer),
  });
  await client.register({ type: 'PERSON', firstName: 'Ada', lastName: 'Lovelace' }).catch(() => undefined);
  return told;
}

const answer = (status: number, ignored?: string) =>
  Response.json({}, { status, ...(ignored !== undefined && { headers: { 'Ignored-Fields': ignored } }) });

describe('fields that the service has ignored', () => {
  it('are told, as the caller wrote them', async () => {
    const names = ['emial', 'first name', 'é', '100%'];
    const escaped = 'emial, first%20name, %C3%A9, 100%25';
    assert.deepEqual(await toldOf(answer(201, escaped)), [[names, '/api/v1/register']]);
  });

  it('are told with a refusal too', async () => {
    assert.deepEqual(await toldOf(answer(400, 'emial')), [[['emial'], '/api/v1/register']]);
  });

  it('are told as they are where they cannot be read', async () => {
    assert.deepEqual(await toldOf(answer(201, 'a%zz')), [[['a%zz'], '/api/v1/register']]);
  });

  it('are not told where there are none', async () => {
    assert.deepEqual(await toldOf(answer(201)), []);
  });
});
