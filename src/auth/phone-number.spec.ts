import fc from 'fast-check';
import { getExampleNumber, getCountries } from 'libphonenumber-js/min';
import examples from 'libphonenumber-js/examples.mobile.json';
import { canonicalPhone } from './phone-number';

describe('canonicalPhone', () => {
  it.each(['+15555550100', '+4915112345678', '+33612345678', '+447700900123', '+12025550123', '+390612345678'])(
    'accepts %s, whether somebody has it or not',
    (number) => {
      expect(canonicalPhone(number)).toBe(number);
    },
  );

  it('accepts an example of every country as it is', () => {
    for (const country of getCountries()) {
      const number = getExampleNumber(country, examples)?.number ?? '';
      expect(canonicalPhone(number)).toBe(number);
    }
  });

  it.each(['+1 (202) 555-0123', '+1-202-555-0123', '(+1) 202 555 0123', ' +1 202 5550123 '])(
    'drops spaces, dashes and brackets of %j',
    (input) => {
      expect(canonicalPhone(input)).toBe('+12025550123');
    },
  );

  it.each([
    ['nothing', ''],
    ['a plus alone', '+'],
    ['no plus', '12025550123'],
    ['00 in the place of the plus', '0012025550123'],
    ['two plusses', '++12025550123'],
    ['a plus inside', '+1202+5550123'],
    ['a full-width plus', '\uFF0B12025550123'],
    ['a leading zero', '+012025550123'],
    ['an unknown country calling code', '+999123456789'],
    ['too few digits for the country', '+1202555'],
    ['too many digits for the country', '+120255501234'],
    ['more than 15 digits', '+4915112345678901'],
    ['a trunk zero', '+44 (0)7700 900123'],
    ['an extension', '+12025550123 ext 3'],
    ['an extension after ;', '+12025550123;ext=3'],
    ['an extension after x', '+12025550123x3'],
    ['letters', '+1202555CALL'],
    ['a tel: address', 'tel:+12025550123'],
    ['dots', '+1.202.555.0123'],
    ['Arabic-Indic digits', '+١٢٠٢٥٥٥٠١٢٣'],
    ['full-width digits', '+１2025550123'],
    ['NUL', '+12025550123\0'],
    ['a zero-width space', '+1202555\u200B0123'],
    ['a no-break space', '+1\u00A02025550123'],
    ['a typographic dash', '+1\u20132025550123'],
    ['a tab', '+1\t2025550123'],
    ['a line break at the end', '+12025550123\n'],
  ])('refuses %s', (_what, input) => {
    expect(canonicalPhone(input)).toBeNull();
  });

  it('changes nothing but separators', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\+[0-9 ()-]{6,18}$/), (input) => {
        expect([null, input.replace(/[^+0-9]/g, '')]).toContain(canonicalPhone(input));
      }),
      { numRuns: 1000 },
    );
  });
});
