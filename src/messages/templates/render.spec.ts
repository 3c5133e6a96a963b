import fc from 'fast-check';
import { type Channel, CHANNELS, type Message } from '../message';
import { LANGUAGES, languageOf, render } from './render';

const ID = '0192f0c1-7a3e-7b2a-9c55-0f2d6f0f6a11';
const SMS_CHARACTERS = 160;
const CODE = '048213';
const RECOVERY_CODE = '04821377';
const LONGEST_NAME = 'W'.repeat(40);
const LONGEST_ISSUER = `...${'i'.repeat(25)}.example.com`;

/** One message of each kind, with values as the service gives them. */
const examples = (channel: Channel, locale: string): Message[] => {
  const to = channel === 'email' ? 'ada@example.com' : '+4915112345678';
  const newDestinationMasked = channel === 'email' ? 'a***@e***.com' : '+49*********78';
  const common = { channel, to, locale };
  return [
    { ...common, kind: 'verification-code', code: CODE, expiresInMinutes: 10 },
    { ...common, kind: 'recovery-code', code: RECOVERY_CODE, expiresInMinutes: 10, touchpointName: LONGEST_NAME },
    { ...common, kind: 'account-exists' },
    { ...common, kind: 'identifier-changed', newDestinationMasked },
    { ...common, kind: 'identifier-changed', newDestinationMasked: null },
    { ...common, kind: 'identity-linked', issuerName: LONGEST_ISSUER },
    { ...common, kind: 'password-changed' },
    { ...common, kind: 'password-recovered' },
    { ...common, kind: 'recovery-advised' },
  ];
};

const cases = CHANNELS.flatMap((channel) =>
  Object.keys(LANGUAGES).flatMap((locale) =>
    examples(channel, locale).map((message) => ({ name: `${message.kind} by ${channel} in ${locale}`, message })),
  ),
);

/** The parts of a message that a person sees, or a program that looks for a code. */
const partsOf = (message: Message, supportContact: string | null = null): string[] => {
  const rendered = render(ID, message, supportContact);
  return rendered.channel === 'email' ? [rendered.subject, rendered.text, rendered.html] : [rendered.text];
};

describe('a rendered message', () => {
  it.each(cases)('has no run of six digits but its code: $name', ({ message }) => {
    const runs = partsOf(message).flatMap((part) => part.match(/[0-9]{6,}/g) ?? []);
    expect(new Set(runs)).toEqual(new Set('code' in message ? [message.code] : []));
  });

  it('has its code in the text and in the HTML, and not in the subject', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(LANGUAGES)),
        fc.integer({ min: 0, max: 999_999 }),
        fc.integer({ min: 1, max: 60 }),
        (locale, number, expiresInMinutes) => {
          const code = String(number).padStart(6, '0');
          const message = { kind: 'verification-code', to: 'ada@example.com', locale, code, expiresInMinutes } as const;
          const runsOf = (part: string) => part.match(/[0-9]{6,}/g) ?? [];
          const [subject = '', text = '', html = ''] = partsOf({ ...message, channel: 'email' });
          expect([runsOf(subject), runsOf(text), runsOf(html)]).toEqual([[], [code], [code]]);
          expect(partsOf({ ...message, channel: 'sms' }).map(runsOf)).toEqual([[code]]);
          expect(text).toContain(` ${expiresInMinutes} `);
        },
      ),
    );
  });

  it.each(cases.filter(({ message }) => message.channel === 'sms'))('fits: $name', ({ message }) => {
    expect(partsOf(message).join('').length).toBeLessThanOrEqual(SMS_CHARACTERS);
  });

  it.each(cases.filter(({ message }) => message.channel === 'email'))(
    'has no links or images: $name',
    ({ message }) => {
      expect(partsOf(message).join('')).not.toMatch(/https?:|<a\b|<img\b|url\(/i);
    },
  );

  it('tells whom to turn to in a notice about the account, once the operator has said whom', () => {
    const contact = 'help@example.com';
    const kinds = new Set(
      cases.filter(({ message }) => /changed|linked|recovered|advised/.test(message.kind)).map(({ name }) => name),
    );
    const told = cases.filter(({ message }) =>
      partsOf(message, contact)
        .slice(-1)
        .some((part) => part.includes(contact)),
    );
    expect(new Set(told.map(({ name }) => name))).toEqual(kinds);
  });

  it('names the touchpoint where it holds a recovery code', () => {
    for (const { message } of cases.filter(({ message: { kind } }) => kind === 'recovery-code')) {
      expect(partsOf(message).slice(-1)[0]).toContain(LONGEST_NAME);
    }
  });

  it('shows every value as text', () => {
    const newDestinationMasked = '<b>"&\'</b>';
    const message = { kind: 'identifier-changed', channel: 'email', to: 'a@b.c', locale: 'en' } as const;
    const [, text, html] = partsOf({ ...message, newDestinationMasked });
    expect(text).toContain(newDestinationMasked);
    expect(html).toContain('&lt;b&gt;&quot;&amp;&apos;&lt;/b&gt;');
  });

  it('differs in every language', () => {
    const subjects = (locale: string) => examples('email', locale).map((message) => partsOf(message)[0]);
    const all = Object.keys(LANGUAGES).flatMap(subjects);
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('the language of a message', () => {
  it.each([
    ['fr', 'fr'],
    ['de-AT', 'de'],
    ['ES-419', 'es'],
    ['en-GB', 'en'],
    ['ja-JP', 'en'],
    ['constructor', 'en'],
    ['', 'en'],
    [null, 'en'],
  ])('of the locale %p is %s', (locale, language) => {
    expect(languageOf(locale)).toBe(language);
  });
});
