import { ADA, identify, outcomeOf, trusting } from '../../support/api/identification';
import { AssertionIssuer, type KeyServerBehaviour } from '../../support/identity-providers/assertion-issuer';
import { TestService } from '../../support/service/test-service';

describe('the keys of an identity provider at an address', () => {
  const issuers: AssertionIssuer[] = [];
  let app: TestService;

  beforeAll(async () => {
    app = await TestService.withStoppedClock();
  });
  afterAll(() => {
    for (const started of issuers) started.close();
  });

  const newIssuer = async (alg?: string): Promise<AssertionIssuer> => {
    const started = await AssertionIssuer.start(app.clock, alg);
    issuers.push(started);
    return started;
  };

  it('are asked for once, and again for a key that is missing, at most every 30 seconds', async () => {
    const rolling = await newIssuer();
    const shop = await trusting(app, rolling);
    const identified = async (header?: Record<string, unknown>) =>
      outcomeOf(await identify(shop, await rolling.sign(ADA, header)));
    expect(await Promise.all(Array.from({ length: 5 }, () => identified()))).toEqual(Array(5).fill('201'));
    expect(rolling.requests).toBe(1);

    await rolling.rollOver();
    expect(await Promise.all(Array.from({ length: 5 }, () => identified()))).toEqual(Array(5).fill('201'));
    expect(rolling.requests).toBe(2);

    const unknown = { kid: 'unknown' };
    for (const header of [unknown, unknown]) expect(await identified(header)).toBe('400 ASSERTION_INVALID');
    expect([await identified(), rolling.requests]).toEqual(['201', 2]);

    await app.clock.advance({ seconds: 31 });
    for (const header of [unknown, unknown]) expect(await identified(header)).toBe('400 ASSERTION_INVALID');
    expect(rolling.requests).toBe(3);

    await app.clock.advance({ seconds: 601 });
    expect([await identified(), rolling.requests]).toEqual(['201', 4]);
  });

  it.each<KeyServerBehaviour>(['mute', 'trickle', 'endless', 'redirect', 'error', 'prose', 'no set'])(
    'that answers with %s could not be fetched: 503, and one request for all who wait',
    async (behaviour) => {
      const failing = await newIssuer();
      failing.behaviour = behaviour;
      const shop = await trusting(app, failing);
      const assertions = await Promise.all(Array.from({ length: 5 }, () => failing.sign(ADA)));
      const answers = await Promise.all(assertions.map((assertion) => identify(shop, assertion)));
      expect(answers.map(outcomeOf)).toEqual(Array(5).fill('503 SERVICE_UNAVAILABLE'));
      expect(answers.map(({ headers }) => headers.get('retry-after'))).toEqual(Array(5).fill('2'));
      expect(failing.requests).toBe(1);
      expect(failing.bytesSent).toBeLessThan(32 * 1024 * 1024);

      failing.behaviour = 'keys';
      await app.clock.advance({ seconds: 2 });
      expect(outcomeOf(await identify(shop, await failing.sign(ADA)))).toBe('201');
    },
  );

  it('still serve the known keys while a new one could not be fetched', async () => {
    const failing = await newIssuer();
    const shop = await trusting(app, failing);
    expect(outcomeOf(await identify(shop, await failing.sign(ADA)))).toBe('201');
    failing.behaviour = 'error';
    for (const _ of [1, 2]) {
      const answer = await identify(shop, await failing.sign(ADA, { kid: 'unknown' }));
      expect(outcomeOf(answer)).toBe('503 SERVICE_UNAVAILABLE');
    }
    expect(failing.requests).toBe(2);
    expect(outcomeOf(await identify(shop, await failing.sign(ADA)))).toBe('201');
  });
});
