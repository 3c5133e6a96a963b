import type { Answer, ApiClient } from '../support/api-client';
import { newPerson, PASSWORD, register } from '../support/consumers';
import { FixedClock } from '../support/fixed-clock';
import { type ProblemBody, violationsOf } from '../support/problems';
import { TestApp } from '../support/test-app';

type Profile = Record<string, unknown> & ProblemBody;

const ME = '/api/v1/me';

describe('the profile', () => {
  const clock = new FixedClock();
  let app: TestApp;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestApp.start({ clock });
    client = await app.client();
  });
  afterAll(() => app.close());

  /** A new consumer, and a client that acts for them. */
  async function newConsumer(fields: Record<string, unknown> = {}) {
    const consumer = await register(client, fields);
    const me = client.as(consumer.token);
    return {
      ...consumer,
      read: async () => (await me.get<Profile>(ME)).body,
      tag: async () => (await me.get(ME)).headers.get('ETag') ?? '',
      patch: (body: unknown, headers: Record<string, string> = {}) => me.patch<Profile>(ME, body, headers),
    };
  }

  const verify = (customerId: string, kind: 'email' | 'phone') =>
    app.dataSource.query(
      'UPDATE identifier SET verified_at = $1 WHERE consumer_id = $2 AND kind = $3 AND NOT pending',
      [clock.now(), customerId, kind],
    );

  const canLogIn = async (identifier: string) =>
    (await client.post('/api/v1/login', { identifier, password: PASSWORD })).status === 200;

  const refusal = ({ status, body }: Answer<Profile>) => [status, body.code];

  it('has every field, null where nothing is known', async () => {
    const person = newPerson({ email: undefined });
    const { read, customerId } = await newConsumer(person);
    const now = clock.now().toISOString();
    const nothing = { email: null, pendingEmail: null, phone: null, pendingPhone: null, birthDate: null, locale: null };
    expect(await read()).toEqual({
      ...{
        customerId,
        type: 'PERSON',
        firstName: 'Ada',
        lastName: 'Lovelace',
        hasPassword: true,
        externalIdentities: [],
      },
      ...{ ...nothing, emailVerified: false, phoneVerified: false, address: null, attributes: null },
      ...{ createdAt: now, updatedAt: now },
    });
  });

  it('changes what a patch names, clears what it makes null, and keeps the rest', async () => {
    const address = { line1: '12 St James’s Square', city: 'London', country: 'GB', subdivision: 'GB-ENG' };
    const attributes = { tier: 'gold', visits: 3, newsletter: true };
    const consumer = await newConsumer({ birthDate: '1815-12-10', locale: 'en-GB', address, attributes });
    const before = await consumer.read();
    clock.advance({ minutes: 1 });
    const { status, body } = await consumer.patch(
      {
        ...{
          firstName: ' Augusta ',
          birthDate: null,
          type: 'COMPANY',
          password: 'ignored',
          pendingEmail: 'a@example.com',
        },
        address: { line1: null, postalCode: 'SW1Y 4JH' },
        attributes: { tier: null, visits: 4, __proto__: { polluted: true }, added: 'x' },
      },
      { 'Content-Type': 'application/merge-patch+json' },
    );
    expect(status).toBe(200);
    expect(body).toEqual({
      ...before,
      firstName: 'Augusta',
      birthDate: null,
      address: { ...address, line1: null, line2: null, postalCode: 'SW1Y 4JH' },
      attributes: { visits: 4, newsletter: true, added: 'x' },
      updatedAt: clock.now().toISOString(),
    });
    expect(await consumer.read()).toEqual(body);
    expect(await canLogIn(consumer.email)).toBe(true);

    const odd = JSON.parse('{"attributes":{"__proto__":"a","constructor":"b"}}') as object;
    expect(Object.keys((await consumer.patch(odd)).body.attributes as object).sort()).toEqual(
      ['visits', 'newsletter', 'added', '__proto__', 'constructor'].sort(),
    );
    const cleared = await consumer.patch({ locale: null, address: null, attributes: null });
    expect(cleared.body).toMatchObject({ locale: null, address: null, attributes: null });
    const emptied = await consumer.patch({ address: { city: null }, attributes: { gone: null } });
    expect(emptied.body).toMatchObject({ address: null, attributes: {} });
  });

  it('refuses a patch whose result would not be valid, with all violations at once', async () => {
    const entries = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key${n}`, n]));
    const consumer = await newConsumer({ address: { country: 'GB', subdivision: 'GB-ENG' }, attributes: entries });
    const before = await consumer.read();
    const refused = await consumer.patch({
      ...{ firstName: null, lastName: [], email: 'ada', phone: 5, birthDate: '9999-12-31', locale: 'en_GB' },
      ...{ address: { country: 'DE' }, attributes: { more: 1 } },
    });
    expect(refusal(refused)).toEqual([400, 'VALIDATION_FAILED']);
    expect(violationsOf(refused)).toEqual([
      'address.subdivision INVALID_VALUE',
      'attributes TOO_LONG',
      'birthDate INVALID_VALUE',
      'email INVALID_FORMAT',
      'firstName REQUIRED',
      'lastName INVALID_TYPE',
      'locale INVALID_FORMAT',
      'phone INVALID_TYPE',
    ]);
    for (const [body, violation] of [
      [{ address: [] }, 'address INVALID_TYPE'],
      [{ address: 'GB' }, 'address INVALID_TYPE'],
      [{ address: { country: null } }, 'address.subdivision INVALID_VALUE'],
      [{ address: { city: {} } }, 'address.city INVALID_TYPE'],
      [{ attributes: [] }, 'attributes INVALID_TYPE'],
      [{ attributes: { key0: ['x'] } }, 'attributes INVALID_VALUE'],
      [{ attributes: { key0: 'x'.repeat(4096) } }, 'attributes TOO_LONG'],
      [{ birthDate: ['1815-12-10'] }, 'birthDate INVALID_TYPE'],
    ] as const) {
      expect(violationsOf(await consumer.patch(body))).toEqual([violation]);
    }
    expect(refusal(await consumer.patch('[]'))).toEqual([400, 'MALFORMED_JSON']);
    expect(await consumer.read()).toEqual(before);
    expect((await consumer.patch({ attributes: { key0: null, more: 1 } })).status).toBe(200);
    expect((await consumer.patch({ address: { country: 'DE', subdivision: 'DE-BE' } })).status).toBe(200);
  });

  it('stays as it is, its entity tag included, when a patch changes nothing', async () => {
    const consumer = await newConsumer({ phone: '+12025550130', attributes: { b: 1, a: 2 } });
    const [before, tag] = [await consumer.read(), await consumer.tag()];
    clock.advance({ minutes: 1 });
    const same = {
      firstName: 'Ada',
      email: consumer.email,
      phone: '+1 202 555 0130',
      attributes: { a: 2, none: null },
    };
    for (const patch of [{}, undefined, same, { address: null, birthDate: null }, { customerId: 'x' }]) {
      const { status, body, headers } = await consumer.patch(patch);
      expect([status, headers.get('ETag')]).toEqual([200, tag]);
      expect(body).toEqual(before);
    }
  });

  it('belongs to whom the token names, whatever the body says', async () => {
    const [ada, eve] = [await newConsumer(), await newConsumer()];
    const before = await ada.read();
    const { body } = await eve.patch({
      customerId: ada.customerId,
      sub: ada.customerId,
      id: ada.customerId,
      firstName: 'Eve',
    });
    expect([body.customerId, body.firstName]).toEqual([eve.customerId, 'Eve']);
    expect(await ada.read()).toEqual(before);
  });

  it('has a strong entity tag that changes with it, and only with it', async () => {
    const consumer = await newConsumer();
    const tag = await consumer.tag();
    expect(tag).toMatch(/^"[\x21\x23-\x7e]+"$/);
    expect(await consumer.tag()).toBe(tag);
    const patched = await consumer.patch({ firstName: 'Augusta' });
    expect(patched.headers.get('ETag')).not.toBe(tag);
    expect(patched.headers.get('ETag')).toBe(await consumer.tag());
  });

  it('is changed only as it was read when If-Match says so', async () => {
    const consumer = await newConsumer();
    const stale = await consumer.tag();
    for (const ifMatch of [(tag: string) => tag, (tag: string) => `"a,b", W/"c",${tag}`, () => '*']) {
      const accepted = await consumer.patch(
        { attributes: { now: await consumer.tag() } },
        { 'If-Match': ifMatch(await consumer.tag()) },
      );
      expect(accepted.status).toBe(200);
    }
    const before = await consumer.read();
    const tag = await consumer.tag();
    for (const ifMatch of [stale, `W/${tag}`, tag.slice(1, -1), `"x", ${stale}`, `${tag} junk`, '""', 'W/*']) {
      const refused = await consumer.patch({ firstName: 'Never' }, { 'If-Match': ifMatch });
      expect([ifMatch, ...refusal(refused)]).toEqual([ifMatch, 412, 'PRECONDITION_FAILED']);
    }
    expect(await consumer.read()).toEqual(before);
  });

  it('judges validity before If-Match, and If-Match before conflicts', async () => {
    const [holder, consumer] = [await newConsumer(), await newConsumer()];
    await verify(holder.customerId, 'email');
    const stale = { 'If-Match': '"stale"' };
    expect((await consumer.patch({ email: holder.email, firstName: '' }, stale)).status).toBe(400);
    expect((await consumer.patch({ email: holder.email, birthDate: '9999-12-31' }, stale)).status).toBe(400);
    expect((await consumer.patch({ email: holder.email }, stale)).status).toBe(412);
    expect((await consumer.patch({ email: holder.email }, { 'If-Match': '*' })).status).toBe(409);
  });

  it('lets one of many patches through that were made of the same reading', async () => {
    const consumer = await newConsumer();
    const tag = await consumer.tag();
    const patches = Array.from({ length: 8 }, (_, n) => consumer.patch({ firstName: `Ada ${n}` }, { 'If-Match': tag }));
    const statuses = (await Promise.all(patches)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, ...Array<number>(7).fill(412)]);
  });

  it('keeps every one of the changes that are made at once', async () => {
    const consumer = await newConsumer();
    const changes = [
      ...[{ firstName: 'Augusta' }, { lastName: 'King' }, { birthDate: '1815-12-10' }, { phone: '+12025550131' }],
      ...[{ address: { city: 'London' } }, { address: { country: 'GB' } }, { address: { line1: '12' } }],
      ...[{ attributes: { a: 1 } }, { attributes: { b: 2 } }, { attributes: { c: 3 } }],
    ];
    const answers = await Promise.all(changes.map((change) => consumer.patch(change)));
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
    expect(await consumer.read()).toMatchObject({
      ...{ firstName: 'Augusta', lastName: 'King', birthDate: '1815-12-10', phone: '+12025550131' },
      ...{ address: { city: 'London', country: 'GB', line1: '12' }, attributes: { a: 1, b: 2, c: 3 } },
    });
  });

  describe('identifiers', () => {
    let count = 0;
    const newEmail = () => `new.${(count += 1)}@example.com`;

    it('are replaced at once, unverified, while none is verified', async () => {
      const consumer = await newConsumer();
      const email = newEmail();
      const { body } = await consumer.patch({ email: email.toUpperCase(), phone: '+1 202 555 0132' });
      const unverified = { emailVerified: false, pendingEmail: null, phoneVerified: false, pendingPhone: null };
      expect(body).toMatchObject({ email, phone: '+12025550132', ...unverified });
      expect([await canLogIn(email), await canLogIn('+12025550132'), await canLogIn(consumer.email)]).toEqual([
        ...[true, true, false],
      ]);
      expect((await newConsumer({ email: consumer.email })).email).toBe(consumer.email);
    });

    it('stay while they are verified, and their successors are pending and let nobody in', async () => {
      const consumer = await newConsumer({ phone: '+12025550133' });
      await verify(consumer.customerId, 'email');
      await verify(consumer.customerId, 'phone');
      const before = await consumer.read();
      const [first, second] = [newEmail(), newEmail()];
      expect((await consumer.patch({ email: first, phone: '+12025550134' })).body).toMatchObject({
        ...{ email: consumer.email, emailVerified: true, pendingEmail: first },
        ...{ phone: '+12025550133', phoneVerified: true, pendingPhone: '+12025550134' },
      });
      expect((await consumer.patch({ email: second })).body.pendingEmail).toBe(second);
      expect([await canLogIn(second), await canLogIn(consumer.email)]).toEqual([false, true]);
      const back = await consumer.patch({ email: consumer.email, phone: '+12025550133' });
      expect(back.body).toEqual(before);
    });

    it('cannot be taken from a consumer who has proven them', async () => {
      const holder = await newConsumer({ phone: '+12025550135' });
      await verify(holder.customerId, 'email');
      await verify(holder.customerId, 'phone');
      const consumer = await newConsumer();
      const before = await consumer.read();
      for (const [field, value] of [
        ['email', holder.email.toUpperCase()],
        ['phone', '+1-202-555-0135'],
      ] as const) {
        const refused = await consumer.patch({ firstName: 'Eve', [field]: value });
        expect(refusal(refused)).toEqual([409, 'IDENTIFIER_TAKEN']);
        expect(violationsOf(refused)).toEqual([`${field} IN_USE`]);
      }
      expect(await consumer.read()).toEqual(before);
    });

    it('are pending while another consumer claims them, and the present one stays', async () => {
      const [holder, consumer, bare] = [
        await newConsumer(),
        await newConsumer(),
        await newConsumer({ email: undefined }),
      ];
      const wanted = { email: holder.email };
      expect((await consumer.patch(wanted)).body).toMatchObject({ email: consumer.email, pendingEmail: holder.email });
      expect((await bare.patch(wanted)).body).toMatchObject({ email: null, pendingEmail: holder.email });
      expect((await holder.read()).email).toBe(holder.email);
      expect([await canLogIn(holder.email), await canLogIn(consumer.email)]).toEqual([true, true]);
    });

    it('go to one of many consumers who want the same one at once', async () => {
      const consumers = await Promise.all(Array.from({ length: 8 }, () => newConsumer()));
      const email = newEmail();
      const answers = await Promise.all(consumers.map(({ patch }) => patch({ email })));
      expect(answers.map(({ status }) => status)).toEqual(consumers.map(() => 200));
      expect(answers.filter(({ body }) => body.email === email)).toHaveLength(1);
      expect(answers.filter(({ body }) => body.pendingEmail === email)).toHaveLength(7);
    });

    it('can be wished for crosswise without anybody being held up', async () => {
      const [ada, eve] = [await newConsumer(), await newConsumer()];
      for (let round = 0; round < 10; round += 1) {
        const [one, other] = [await ada.read(), await eve.read()];
        const answers = await Promise.all([ada.patch({ email: other.email }), eve.patch({ email: one.email })]);
        expect(answers.map(({ status }) => status)).toEqual([200, 200]);
        await Promise.all([ada.patch({ email: newEmail() }), eve.patch({ email: newEmail() })]);
      }
    });

    it('can be removed, but for the last verified one', async () => {
      const consumer = await newConsumer({ phone: '+12025550136' });
      await verify(consumer.customerId, 'email');
      await consumer.patch({ email: newEmail() });
      const before = await consumer.read();
      for (const patch of [{ email: null }, { email: null, phone: null }, { phone: null, email: null, locale: 'de' }]) {
        expect(refusal(await consumer.patch(patch))).toEqual([409, 'LAST_IDENTIFIER']);
      }
      expect(await consumer.read()).toEqual(before);

      await verify(consumer.customerId, 'phone');
      expect(refusal(await consumer.patch({ email: null, phone: null }))).toEqual([409, 'LAST_IDENTIFIER']);
      const { body } = await consumer.patch({ email: null });
      expect(body).toMatchObject({ email: null, emailVerified: false, pendingEmail: null, phone: '+12025550136' });
      expect(refusal(await consumer.patch({ phone: null }))).toEqual([409, 'LAST_IDENTIFIER']);
      expect(await canLogIn(consumer.email)).toBe(false);

      const unverified = await newConsumer();
      expect((await unverified.patch({ email: null })).body.email).toBeNull();
      expect(await canLogIn(unverified.customerId)).toBe(true);
    });
  });
});
