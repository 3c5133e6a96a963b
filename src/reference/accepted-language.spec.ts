import fc from 'fast-check';
import { acceptedLanguage } from './accepted-language';

describe('acceptedLanguage', () => {
  it.each([
    { field: undefined, language: 'en', of: 'no field' },
    { field: '', language: 'en', of: 'an empty field' },
    { field: '*', language: 'en', of: 'any language' },
    { field: 'de', language: 'de', of: 'one language' },
    { field: 'DE-at', language: 'de', of: 'a region, in any case' },
    { field: 'fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5', language: 'fr', of: 'a weighted list' },
    { field: 'de;q=0.5, fr', language: 'fr', of: 'a list with the best last' },
    { field: 'de;q=0.5,\tfr ; Q=0.501', language: 'fr', of: 'a list with optional spaces' },
    { field: 'it, fr', language: 'it', of: 'equal weights' },
    { field: ', de,,', language: 'de', of: 'a list with empty members' },
    { field: 'tlh, de;q=0.1', language: 'de', of: 'an unknown language before a known one' },
    { field: 'tlh', language: 'en', of: 'an unknown language alone' },
    { field: 'de;q=0', language: 'en', of: 'a refused language' },
    { field: 'de;q=0, fr;q=0.001', language: 'fr', of: 'the smallest weight' },
    { field: '*;q=0.5, de;q=0.3', language: 'en', of: 'a wildcard above the others' },
    { field: 'en;q=0, *, de;q=0.5', language: 'de', of: 'a wildcard beside refused English' },
    { field: 'zh-TW', language: 'zh-Hant', of: 'a region that implies another script' },
    { field: 'zh-CN', language: 'zh', of: 'a region that implies the usual script' },
    { field: 'sr-ME', language: 'sr-Latn', of: 'a region that implies Latin script' },
    { field: 'de-Cyrl', language: 'de', of: 'a script without names' },
    { field: 'iw', language: 'he', of: 'a deprecated code' },
    { field: 'de;q=1.5, fr', language: 'en', of: 'a weight above one' },
    { field: 'de;q=0.1234', language: 'en', of: 'a weight with too many digits' },
    { field: 'de;level=1', language: 'en', of: 'another parameter' },
    { field: 'de_DE', language: 'en', of: 'an underscore' },
    { field: 'de fr', language: 'en', of: 'a list without commas' },
    { field: 'abcdefghi', language: 'en', of: 'too long a subtag' },
    { field: 'x, de', language: 'de', of: 'a range that is no language tag' },
  ])('answers $of ($field) in $language', ({ field, language }) => {
    expect(acceptedLanguage(field)).toBe(language);
  });

  it('looks at the best 32 ranges only', () => {
    const unknown = Array<string>(31).fill('tlh').join(',');
    expect(acceptedLanguage(`${unknown},de`)).toBe('de');
    expect(acceptedLanguage(`tlh,${unknown},de`)).toBe('en');
    expect(acceptedLanguage(`tlh;q=0.1,${unknown.replaceAll('tlh', 'tlh;q=0.1')},de`)).toBe('de');
  });

  it('takes any text without an error', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('d', 'e', '-', ';', 'q', '=', '0', '.', ',', ' ', '*', 'é') }),
        (field) => {
          expect(Intl.getCanonicalLocales(acceptedLanguage(field))).toHaveLength(1);
        },
      ),
    );
  });
});
