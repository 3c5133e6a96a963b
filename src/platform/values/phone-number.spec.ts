import fc from 'fast-check';
import { getExampleNumber, getCountries } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/examples.mobile.json';
import { canonicalPhone, isPersonalPhone } from './phone-number';

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

describe('isPersonalPhone', () => {
  it.each(['+15555550100', '+12025550123', '+4930123456', '+447700900123', '+4785012345'])(
    'accepts %s, mobile, fixed or fictional',
    (number) => {
      expect(isPersonalPhone(number)).toBe(true);
    },
  );

  it.each(['+4990012345', '+2526100000'])('accepts %s, of which the metadata knows no type', (number) => {
    expect(canonicalPhone(number)).toBe(number);
    expect(isPersonalPhone(number)).toBe(true);
  });

  it('accepts the mobile numbers of every country', () => {
    for (const country of getCountries()) {
      expect(isPersonalPhone(getExampleNumber(country, examples)?.number ?? '')).toBe(true);
    }
  });

  it.each([
    ['premium rate', '+19002345678'],
    ['premium rate', '+449012345678'],
    ['premium rate', '+33899123456'],
    ['shared cost', '+491801234567'],
    ['shared cost', '+33810123456'],
    ['toll free', '+18002345678'],
    ['personal numbering', '+447012345678'],
    ['a pager', '+447640123456'],
    ['a company', '+445512345678'],
    ['a voice mailbox', '+41860791234567'],
    ['international toll free', '+80012345678'],
    ['international shared cost', '+80812345678'],
    ['Inmarsat', '+870773111632'],
    ['universal personal numbering', '+878101234567890'],
    ['Iridium', '+881612345678'],
    ['an international network', '+882123456789'],
    ['another international network', '+883510012345'],
    ['international premium rate', '+979123456789'],
  ])('refuses %s: %s', (_what, number) => {
    expect(canonicalPhone(number)).toBe(number);
    expect(isPersonalPhone(number)).toBe(false);
  });
});
