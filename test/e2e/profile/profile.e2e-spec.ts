import type { ApiClient } from '../../support/api/api-client';
import { newPerson, newPhone, PASSWORD, spacedPhone } from '../../support/api/consumers';
import { refusalOf, violationsOf } from '../../support/api/problems';
import { newProfileOwner, verifyAddress } from '../../support/api/profiles';
import { TestService } from '../../support/service/test-service';

describe('the profile', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.withStoppedClock();
    client = await app.client();
  });

  const newConsumer = (fields: Record<string, unknown> = {}) => newProfileOwner(client, fields);

  it('has every field, null where nothing is known', async () => {
    const person = newPerson({ email: undefined });
    const { read, customerId } = await newConsumer(person);
    const now = app.clock.now().toISOString();
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
    await app.clock.advance({ minutes: 1 });
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
      updatedAt: app.clock.now().toISOString(),
    });
    expect(await consumer.read()).toEqual(body);
    const login = await client.post('/api/v1/login', { identifier: consumer.email, password: PASSWORD });
    expect(login.status).toBe(200);

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
    expect(refusalOf(refused)).toEqual([400, 'VALIDATION_FAILED']);
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
    expect(refusalOf(await consumer.patch('[]'))).toEqual([400, 'MALFORMED_JSON']);
    expect(await consumer.read()).toEqual(before);
    expect((await consumer.patch({ attributes: { key0: null, more: 1 } })).status).toBe(200);
    expect((await consumer.patch({ address: { country: 'DE', subdivision: 'DE-BE' } })).status).toBe(200);
  });

  it('stays as it is, its entity tag included, when a patch changes nothing', async () => {
    const phone = newPhone();
    const consumer = await newConsumer({ phone, attributes: { b: 1, a: 2 } });
    const [before, tag] = [await consumer.read(), await consumer.tag()];
    await app.clock.advance({ minutes: 1 });
    const same = {
      firstName: 'Ada',
      email: consumer.email,
      phone: spacedPhone(phone),
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
      expect([ifMatch, ...refusalOf(refused)]).toEqual([ifMatch, 412, 'PRECONDITION_FAILED']);
    }
    expect(await consumer.read()).toEqual(before);
  });

  it('judges validity before If-Match, and If-Match before conflicts', async () => {
    const [holder, consumer] = [await newConsumer(), await newConsumer()];
    await verifyAddress(app, holder, 'email');
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
    const phone = newPhone();
    const changes = [
      ...[{ firstName: 'Augusta' }, { lastName: 'King' }, { birthDate: '1815-12-10' }, { phone }],
      ...[{ address: { city: 'London' } }, { address: { country: 'GB' } }, { address: { line1: '12' } }],
      ...[{ attributes: { a: 1 } }, { attributes: { b: 2 } }, { attributes: { c: 3 } }],
    ];
    const answers = await Promise.all(changes.map((change) => consumer.patch(change)));
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
    expect(await consumer.read()).toMatchObject({
      ...{ firstName: 'Augusta', lastName: 'King', birthDate: '1815-12-10', phone },
      ...{ address: { city: 'London', country: 'GB', line1: '12' }, attributes: { a: 1, b: 2, c: 3 } },
    });
  });
});
