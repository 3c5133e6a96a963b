import { ApiClient } from '../../support/api/api-client';
import { TestService } from '../../support/service/test-service';

describe('what can be had without a credential', () => {
  let stranger: ApiClient;

  beforeAll(async () => {
    stranger = new ApiClient((await TestService.shared()).baseUrl, {});
  });

  it('is for reading: other methods do not work there, nor does anything beside it', async () => {
    for (const [method, path] of [
      ['POST', '/docs'],
      ['DELETE', '/openapi.json'],
      ['PUT', '/health/live'],
      ['POST', '/.well-known/jwks.json'],
      ['GET', '/docs/../api/v1/me'],
      ['GET', '/docs-json'],
      ['GET', '/docs-yaml'],
      ['GET', '/metrics'],
    ] as const) {
      const { status } = await stranger.send(method, path);
      expect({ method, path, status }).toEqual({ method, path, status: 401 });
    }
  });

  it('is the health of the service, for whoever watches it', async () => {
    for (const path of ['/health/live', '/health/ready']) {
      const { status, headers, body } = await stranger.get(path);
      expect([path, status, body]).toEqual([path, 200, { status: 'ok' }]);
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  it('are the keys of customer tokens, without their private halves', async () => {
    const { status, headers, body } = await stranger.get<{ keys: Record<string, string>[] }>('/.well-known/jwks.json');
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=240']);
    expect(body.keys.length).toBeGreaterThan(0);
    for (const key of body.keys) {
      expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
      expect(key).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' });
    }
  });
});
