import fc from 'fast-check';
import { canonicalEmail } from './email-address';

const label = (length: number) => 'a'.repeat(length);

describe('canonicalEmail', () => {
  it.each([
    ['ada@example.com', 'ada@example.com'],
    ['Ada.Lovelace+News@EXAMPLE.Com', 'ada.lovelace+news@example.com'],
    ["!#$%&'*+/=?^_`{|}~-@example.com", "!#$%&'*+/=?^_`{|}~-@example.com"],
    ['1@2.3a', '1@2.3a'],
    ['a@x--y.example', 'a@x--y.example'],
    ['a@münchen.de', 'a@xn--mnchen-3ya.de'],
    ['A@MÜNCHEN.DE', 'a@xn--mnchen-3ya.de'],
    ['a@XN--MNCHEN-3YA.de', 'a@xn--mnchen-3ya.de'],
    ['a@faß.de', 'a@xn--fa-hia.de'],
    ['a@例え.テスト', 'a@xn--r8jz45g.xn--zckzah'],
    ['a@пример.example', 'a@xn--e1afmkfd.example'],
    [`${label(64)}@example.com`, `${label(64)}@example.com`],
    [`a@${label(63)}.com`, `a@${label(63)}.com`],
    [`${label(64)}@${label(63)}.${label(63)}.${label(61)}`, `${label(64)}@${label(63)}.${label(63)}.${label(61)}`],
  ])('spells %s as %s', (input, canonical) => {
    expect(canonicalEmail(input)).toBe(canonical);
  });

  it.each([
    ['nothing', ''],
    ['no @', 'example.com'],
    ['no local part', '@example.com'],
    ['no domain', 'a@'],
    ['two @', 'a@b@example.com'],
    ['a single label', 'a@localhost'],
    ['an empty label', 'a@example..com'],
    ['a dot at the end', 'a@example.com.'],
    ['a hyphen at an edge', 'a@-example.com'],
    ['an underscore in the domain', 'a@ex_ample.com'],
    ['an IPv4 address', 'a@127.0.0.1'],
    ['an IPv4 address in hexadecimal', 'a@0x7f.1'],
    ['an address literal', 'a@[127.0.0.1]'],
    ['a dot at an edge of the local part', '.a@example.com'],
    ['two dots in the local part', 'a..b@example.com'],
    ['a quoted local part', '"a b"@example.com'],
    ['a comment', 'a(b)@example.com'],
    ['a display name', 'Ada <a@example.com>'],
    ['several addresses', 'a@example.com,b@example.com'],
    ['a space before', ' a@example.com'],
    ['a space after', 'a@example.com '],
    ['a line break', 'a@example.com\r\nBcc: b@example.com'],
    ['a line break at the end', 'a@example.com\n'],
    ['NUL', 'a@example.com\0'],
    ['a tab in the domain', 'a@exam\tple.com'],
    ['a percent escape in the domain', 'a@ex%41mple.com'],
    ['a port', 'a@example.com:25'],
    ['a path', 'a@example.com/x'],
    ['65 characters in the local part', `${label(65)}@example.com`],
    ['a label of 64 characters', `a@${label(64)}.com`],
    ['255 characters', `${label(64)}@${label(63)}.${label(63)}.${label(62)}`],
    ['255 characters once in ASCII', `${label(64)}@${label(63)}.${label(63)}.${'ü'.repeat(53)}.de`],
    ['Punycode that spells an ASCII label', 'a@xn--example-.com'],
    ['Punycode that spells nothing', 'a@xn--a.com'],
    ['Latin and Cyrillic in one label', 'a@\u0430pple.com'],
    ['the same in Punycode', 'a@xn--pple-43d.com'],
    ['an emoji domain', 'a@😀.com'],
    ['a decomposed letter in the domain', 'a@mu\u0308nchen.de'],
  ])('refuses %s', (_what, input) => {
    expect(canonicalEmail(input)).toBeNull();
  });

  it.each([
    ['full-width @', '\uFF20'],
    ['full-width a', '\uFF41'],
    ['full-width dot', '\uFF0E'],
    ['ideographic full stop', '\u3002'],
    ['Kelvin sign', '\u212A'],
    ['Angstrom sign', '\u212B'],
    ['dotless i', '\u0131'],
    ['capital I with a dot', '\u0130'],
    ['long s', '\u017F'],
    ['circled digit', '\u2460'],
    ['zero-width space', '\u200B'],
    ['zero-width non-joiner', '\u200C'],
    ['zero-width joiner', '\u200D'],
    ['soft hyphen', '\u00AD'],
    ['right-to-left override', '\u202E'],
    ['byte order mark', '\uFEFF'],
    ['variation selector', '\uFE0F'],
    ['Hangul filler', '\u3164'],
    ['no-break space', '\u00A0'],
    ['line separator', '\u2028'],
    ['lone surrogate', '\uD800'],
  ])('refuses the %s in every position', (_what, character) => {
    const address = 'ada@my.example.com';
    for (let i = 0; i <= address.length; i++) {
      expect(canonicalEmail(address.slice(0, i) + character + address.slice(i))).toBeNull();
      expect(canonicalEmail(address.slice(0, i) + character + address.slice(i + 1))).toBeNull();
    }
  });

  it('gives a plain ASCII address that is its own canonical form', () => {
    const part = fc.oneof(
      fc.stringMatching(/^[A-Za-z0-9+.-]{1,12}$/),
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.stringMatching(/^[a-zà-ÿА-яΑ-ωא-ת가-각一-丠-]{1,8}$/u),
    );
    const input = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.emailAddress(),
      fc.tuple(part, part, part).map(([local, name, top]) => `${local}@${name}.${top}`),
    );
    let accepted = 0;
    fc.assert(
      fc.property(input, (address) => {
        const canonical = canonicalEmail(address);
        if (canonical === null) return;
        accepted++;
        expect(canonical).toMatch(/^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9.-]+$/);
        expect(canonicalEmail(canonical)).toBe(canonical);
      }),
      { numRuns: 2000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});
