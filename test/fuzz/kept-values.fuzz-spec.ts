import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import type { ApiClient } from '../support/api/api-client';
import { newPerson, register } from '../support/api/consumers';
import { fuzzRuns, fuzzSeed, TIMEOUT_MS } from '../support/fuzz/settings';
import { FuzzTarget } from '../support/fuzz/target';
import { hostileString, NAUGHTY_STRINGS } from '../support/fuzz/hostile-bodies';

/** Each takes several requests. */
const RUNS = Math.ceil(fuzzRuns / 4);

type Fields = Record<string, unknown>;

/** Values near the border between what is accepted and what is not. */
const name = fc.oneof(
  hostileString,
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
  fc.constant('  Ada\u00a0 '),
);
const email = fc
  .tuple(
    fc.oneof(fc.stringMatching(/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,20}$/), hostileString),
    fc.constantFrom(
      '',
      'Example.COM',
      'bücher.example',
      'BÜCHER.example',
      'xn--bcher-kva.example',
      'пример.рф',
      'example.com.',
      '例え.jp',
      'exﬀ.com',
      'ﬁ.com',
      'ß.example',
    ),
  )
  .map(([local, domain]) => (domain === '' ? local : `${local}@${domain}`));
const phone = fc.oneof(
  fc.stringMatching(/^\+[1-9][0-9 ()-]{6,14}$/),
  fc.nat(9_999_999).map((number) => `+1 (202) ${String(number).padStart(7, '0')}`),
  hostileString,
);
const date = fc.oneof(
  fc.stringMatching(/^[0-9]{4}-[01][0-9]-[0-3][0-9]$/),
  fc.date({ noInvalidDate: true, max: new Date('2020-01-01') }).map((day) => day.toISOString().slice(0, 10)),
  hostileString,
);
const locale = fc.oneof(
  fc.stringMatching(/^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-[A-Za-z]{2})?(-u-co-phonebk)?$/),
  hostileString,
);
const scalar = fc.oneof(
  hostileString,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);
const attributes = fc.dictionary(
  fc.oneof(hostileString, fc.constantFrom('__proto__', 'constructor', 'toString', '0', '')),
  scalar,
  { maxKeys: 6, noNullPrototype: true },
);
const address = fc.record(
  {
    line1: name,
    line2: name,
    postalCode: fc.oneof(hostileString, fc.stringMatching(/^ ?[A-Z0-9 ]{3,20}$/)),
    city: name,
    country: fc.constantFrom('DE', 'GB', 'XK', 'de'),
    subdivision: fc.constantFrom('DE-BE', 'GB-ENG', 'XX-1'),
  },
  { requiredKeys: [] },
);

const fields: fc.Arbitrary<Fields> = fc.record(
  { firstName: name, lastName: name, email, phone, birthDate: date, locale, address, attributes },
  { requiredKeys: [] },
);

/** What the documents say that a value becomes; every other value stays as it came. */
const NORMAL: Record<string, (value: string) => string> = {
  firstName: (value) => value.trim(),
  lastName: (value) => value.trim(),
  line1: (value) => value.trim(),
  line2: (value) => value.trim(),
  postalCode: (value) => value.trim(),
  city: (value) => value.trim(),
  email: (value) => {
    const at = value.lastIndexOf('@');
    return `${value.slice(0, at).toLowerCase()}@${domainToASCII(value.slice(at + 1))}`;
  },
  phone: (value) => value.replace(/[ ()-]/g, ''),
  locale: (value) => Intl.getCanonicalLocales(value)[0] ?? '',
};

const withoutNulls = (map: Fields): Fields =>
  Object.fromEntries(Object.entries(map).filter(([, value]) => value !== null));

function normal(sent: Fields): Fields {
  const members = Object.entries(sent).map(([field, value]) => {
    if (field === 'address') return [field, normal(value as Fields)];
    // Null is how an attribute is removed: one that is null is none.
    if (field === 'attributes') return [field, withoutNulls(value as Fields)];
    return [field, typeof value === 'string' ? (NORMAL[field]?.(value) ?? value) : value];
  });
  return Object.fromEntries(members) as Fields;
}

/** As JSON, its members in the order of their names: what numbers and keys are, whichever object holds them. */
function text(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${text(member)}`).join(',')}}`;
}

/** Fails when the profile holds anything else than what was sent. */
function expectKept(profile: Fields, sent: Fields): void {
  for (const [field, value] of Object.entries(normal(sent))) {
    // An address that another consumer claims is pending until it is proven.
    const pending = profile[`pending${field.charAt(0).toUpperCase()}${field.slice(1)}`];
    const kept = text(pending) === text(value) ? pending : profile[field];
    const isPart = field === 'address' && typeof kept === 'object' && kept !== null;
    const named = isPart
      ? Object.fromEntries(Object.keys(value as Fields).map((key) => [key, (kept as Fields)[key]]))
      : kept;
    // An empty address or map may be kept as none.
    if (text(value) === '{}' && kept === null) continue;
    expect(`${field}: ${text(named)}`).toBe(`${field}: ${text(value)}`);
  }
}

describe('what the service accepts', () => {
  let target: FuzzTarget;
  let client: ApiClient;
  /** Names of fields that were accepted, so that a test which accepts nothing is seen. */
  const accepted = new Map<string, number>();

  beforeAll(async () => {
    target = await FuzzTarget.start({ codes: 0 });
    client = target.client();
  }, TIMEOUT_MS);
  afterAll(async () => {
    process.stderr.write(`accepted: ${JSON.stringify(Object.fromEntries(accepted))}\n`);
    expect(await target.stop()).toBe(0);
  });
  afterEach(() => {
    expect(target.complaints).toEqual([]);
  });

  const count = (sent: Fields) => {
    for (const field of Object.keys(sent)) accepted.set(field, (accepted.get(field) ?? 0) + 1);
  };

  /** The fields that an answer does not find fault with. */
  const acceptable = (sent: Fields, body: { errors?: { field: string }[] }): Fields => {
    const refused = new Set((body.errors ?? []).map(({ field }) => field.split('.')[0]));
    return Object.fromEntries(Object.entries(sent).filter(([field]) => !refused.has(field)));
  };

  it(
    'at registration is in the profile as it was sent',
    async () => {
      const property = fc.asyncProperty(fields, async (sent) => {
        const person = { ...newPerson(), ...sent };
        let answer = await client.post<{ token: string; errors?: { field: string }[] }>('/api/v1/register', person);
        let kept = sent;
        if (answer.status === 400 && answer.body.errors) {
          kept = acceptable(sent, answer.body);
          answer = await client.post('/api/v1/register', { ...newPerson(), ...kept });
        }
        // 409: another one has the address; 400 without fields: text that no JSON may hold.
        if (answer.status !== 201) return;
        count(kept);
        expectKept((await client.as(answer.body.token).get('/api/v1/me')).body, kept);
      });
      await fc.assert(property, { seed: fuzzSeed, numRuns: RUNS });
    },
    TIMEOUT_MS,
  );

  it(
    'in a change is in the profile as it was sent',
    async () => {
      const { token } = await register(client);
      const consumer = client.as(token);
      const property = fc.asyncProperty(fields, async (sent) => {
        let answer = await consumer.patch<Fields & { errors?: { field: string }[] }>('/api/v1/me', sent);
        let kept = sent;
        if (answer.status === 400 && answer.body.errors) {
          kept = acceptable(sent, answer.body);
          answer = await consumer.patch('/api/v1/me', kept);
        }
        if (answer.status !== 200) return;
        // A merge patch keeps what the map had before (RFC 7396).
        const { attributes: map, ...others } = kept;
        count(kept);
        const { body } = await consumer.get('/api/v1/me');
        expect(text(body)).toBe(text(answer.body));
        expectKept(body, others);
        const now = (body.attributes ?? {}) as Fields;
        for (const [key, value] of Object.entries(withoutNulls((map ?? {}) as Fields))) {
          expect(`${key}: ${text(Object.entries(now).find(([own]) => own === key)?.[1])}`).toBe(
            `${key}: ${text(value)}`,
          );
        }
        await consumer.patch('/api/v1/me', { attributes: null, address: null, phone: null, email: null });
      });
      await fc.assert(property, { seed: fuzzSeed, numRuns: RUNS });
    },
    TIMEOUT_MS,
  );

  it(
    'as a password opens the account, in whichever way it is composed, and no other does',
    async () => {
      const password = fc.oneof(
        fc.string({ unit: 'binary', minLength: 8, maxLength: 40 }),
        fc.string({ unit: 'grapheme', minLength: 8, maxLength: 60 }),
        fc
          .tuple(fc.constantFrom(...NAUGHTY_STRINGS), fc.constantFrom(...NAUGHTY_STRINGS))
          .map((pair) => pair.join('::')),
        fc.constantFrom('é', '😀', ' ', 'ﬃ', '\u200b').map((character) => character.repeat(64)),
      );
      const property = fc.asyncProperty(password, async (chosen) => {
        const person = newPerson({ password: chosen });
        const { status } = await client.post('/api/v1/register', person);
        if (status !== 201) return;
        count({ password: chosen });
        const login = async (given: string) =>
          (await client.post('/api/v1/login', { identifier: person.email, password: given })).status;
        expect(await login(chosen)).toBe(200);
        expect(await login(chosen.normalize('NFD'))).toBe(200);
        expect(await login(`${chosen}x`)).toBe(401);
        expect(await login(chosen.slice(1))).not.toBe(200);
      });
      await fc.assert(property, { seed: fuzzSeed, numRuns: RUNS });
    },
    TIMEOUT_MS,
  );

  it('covers every field', () => {
    const all = ['firstName', 'lastName', 'email', 'phone', 'birthDate', 'locale', 'address', 'attributes', 'password'];
    expect([...accepted.keys()].toSorted()).toEqual(all.toSorted());
  });
});
