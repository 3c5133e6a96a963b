import type { ApiClient } from '../../support/api/api-client';
import { newPerson, newPhone, PASSWORD, spacedPhone } from '../../support/api/consumers';
import { refusalOf, violationsOf } from '../../support/api/problems';
import { newProfileOwner, verifyAddress } from '../../support/api/profiles';
import { TestService } from '../../support/service/test-service';

describe('the identifiers of a profile', () => {
  let app: TestService;
  let client: ApiClient;

  beforeAll(async () => {
    app = await TestService.shared();
    client = await app.client();
  });

  const newConsumer = (fields: Record<string, unknown> = {}) => newProfileOwner(client, fields);
  const newEmail = () => newPerson().email;

  const canLogIn = async (identifier: string) =>
    (await client.post('/api/v1/login', { identifier, password: PASSWORD })).status === 200;

  it('are replaced at once, unverified, while none is verified', async () => {
    const consumer = await newConsumer();
    const [email, phone] = [newEmail(), newPhone()];
    const { body } = await consumer.patch({ email: email.toUpperCase(), phone: spacedPhone(phone) });
    const unverified = { emailVerified: false, pendingEmail: null, phoneVerified: false, pendingPhone: null };
    expect(body).toMatchObject({ email, phone, ...unverified });
    expect([await canLogIn(email), await canLogIn(phone), await canLogIn(consumer.email)]).toEqual([
      ...[true, true, false],
    ]);
    expect((await newConsumer({ email: consumer.email })).email).toBe(consumer.email);
  });

  it('stay while they are verified, and their successors are pending and let nobody in', async () => {
    const [phone, nextPhone] = [newPhone(), newPhone()];
    const consumer = await newConsumer({ phone });
    await verifyAddress(app, consumer, 'email');
    await verifyAddress(app, consumer, 'phone');
    const before = await consumer.read();
    const [first, second] = [newEmail(), newEmail()];
    expect((await consumer.patch({ email: first, phone: nextPhone })).body).toMatchObject({
      ...{ email: consumer.email, emailVerified: true, pendingEmail: first },
      ...{ phone, phoneVerified: true, pendingPhone: nextPhone },
    });
    expect((await consumer.patch({ email: second })).body.pendingEmail).toBe(second);
    expect([await canLogIn(second), await canLogIn(consumer.email)]).toEqual([false, true]);
    const back = await consumer.patch({ email: consumer.email, phone });
    expect(back.body).toEqual({ ...before, updatedAt: back.body.updatedAt });
  });

  it('cannot be taken from a consumer who has proven them', async () => {
    const phone = newPhone();
    const holder = await newConsumer({ phone });
    await verifyAddress(app, holder, 'email');
    await verifyAddress(app, holder, 'phone');
    const consumer = await newConsumer();
    const before = await consumer.read();
    for (const [field, value] of [
      ['email', holder.email.toUpperCase()],
      ['phone', spacedPhone(phone)],
    ] as const) {
      const refused = await consumer.patch({ firstName: 'Eve', [field]: value });
      expect(refusalOf(refused)).toEqual([409, 'IDENTIFIER_TAKEN']);
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
    const phone = newPhone();
    const consumer = await newConsumer({ phone });
    await verifyAddress(app, consumer, 'email');
    await consumer.patch({ email: newEmail() });
    const before = await consumer.read();
    for (const patch of [{ email: null }, { email: null, phone: null }, { phone: null, email: null, locale: 'de' }]) {
      expect(refusalOf(await consumer.patch(patch))).toEqual([409, 'LAST_IDENTIFIER']);
    }
    expect(await consumer.read()).toEqual(before);

    await verifyAddress(app, consumer, 'phone');
    expect(refusalOf(await consumer.patch({ email: null, phone: null }))).toEqual([409, 'LAST_IDENTIFIER']);
    const { body } = await consumer.patch({ email: null });
    expect(body).toMatchObject({ email: null, emailVerified: false, pendingEmail: null, phone });
    expect(refusalOf(await consumer.patch({ phone: null }))).toEqual([409, 'LAST_IDENTIFIER']);
    expect(await canLogIn(consumer.email)).toBe(false);

    const unverified = await newConsumer();
    expect((await unverified.patch({ email: null })).body.email).toBeNull();
    expect(await canLogIn(unverified.customerId)).toBe(true);
  });
});
