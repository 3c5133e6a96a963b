import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COUNTRIES, isCountryCode, isSubdivisionOf, subdivisionsOf } from './iso-3166';

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(join(__dirname, '../../test/fixtures/iso-codes', name), 'utf8'));

const debianCountries = (fixture('iso_3166-1.json') as { '3166-1': { alpha_2: string; name: string }[] })['3166-1'];
const debianSubdivisions = (fixture('iso_3166-2.json') as { '3166-2': { code: string; name: string }[] })['3166-2'];
const nameDifferences = fixture('name-differences.json') as Record<string, Record<string, string>>;

const ours = COUNTRIES.flatMap(({ code }) => subdivisionsOf(code));

/** Changes of ISO 3166-2 that Debian's list does not have yet, by the date of the standard's change. */
const CHANGES_SINCE = [
  {
    on: '2021-11-25',
    added: `ET-SI FR-69M FR-6AE FR-75C IS-MUL LV-111 LV-112 LV-113 PA-NT
      GT-01 GT-02 GT-03 GT-04 GT-05 GT-06 GT-07 GT-08 GT-09 GT-10 GT-11
      GT-12 GT-13 GT-14 GT-15 GT-16 GT-17 GT-18 GT-19 GT-20 GT-21 GT-22`,
    removed: `FR-75 FR-GF FR-GP FR-MQ FR-RE FR-YT IS-BFJ IS-DJU IS-FLD IS-SEY
      GT-AV GT-BV GT-CM GT-CQ GT-ES GT-GU GT-HU GT-IZ GT-JA GT-JU GT-PE
      GT-PR GT-QC GT-QZ GT-RE GT-SA GT-SM GT-SO GT-SR GT-SU GT-TO GT-ZA
      LV-001 LV-003 LV-004 LV-005 LV-006 LV-008 LV-009 LV-010 LV-012 LV-013 LV-014 LV-017 LV-018 LV-019 LV-020 LV-021
      LV-023 LV-024 LV-025 LV-027 LV-028 LV-029 LV-030 LV-031 LV-032 LV-034 LV-035 LV-036 LV-037 LV-038 LV-039 LV-040
      LV-043 LV-044 LV-045 LV-046 LV-048 LV-049 LV-051 LV-053 LV-055 LV-057 LV-060 LV-061 LV-063 LV-064 LV-065 LV-066
      LV-069 LV-070 LV-071 LV-072 LV-074 LV-075 LV-076 LV-078 LV-079 LV-081 LV-082 LV-083 LV-084 LV-085 LV-086 LV-090
      LV-092 LV-093 LV-095 LV-096 LV-098 LV-100 LV-103 LV-104 LV-105 LV-107 LV-108 LV-109 LV-110 LV-JKB LV-VMR`,
  },
  { on: '2022-03-03', added: 'IQ-KR', removed: '' },
  {
    on: '2022-11-29',
    added: `DZ-49 DZ-50 DZ-51 DZ-52 DZ-53 DZ-54 DZ-55 DZ-56 DZ-57 DZ-58 ET-SW GB-NNH GB-WNH ID-PE ID-PS ID-PT IS-HUG IS-SKR
      KP-15 KZ-10 KZ-11 KZ-15 KZ-19 KZ-23 KZ-27 KZ-31 KZ-33 KZ-35 KZ-39 KZ-43 KZ-47 KZ-55 KZ-59 KZ-61 KZ-62 KZ-63
      KZ-71 KZ-75 KZ-79`,
    removed: `GB-NTH IS-AKH IS-BLO IS-HEL IS-HUT IS-SBH IS-SKU IS-SSF
      KZ-AKM KZ-AKT KZ-ALA KZ-ALM KZ-AST KZ-ATY KZ-KAR KZ-KUS KZ-KZY KZ-MAN KZ-PAV KZ-SEV KZ-SHY KZ-VOS KZ-YUZ KZ-ZAP
      KZ-ZHA NP-1 NP-2 NP-3 NP-4 NP-5 NP-BA NP-BH NP-DH NP-GA NP-JA NP-KA NP-KO NP-LU NP-MA NP-ME NP-NA NP-RA NP-SA
      NP-SE`,
  },
  {
    on: '2023-11-23',
    added: 'ID-PD IN-CG IN-OD IN-TS IN-UK ME-25 PH-MGN PH-MGS',
    removed: 'IN-CT IN-OR IN-TG IN-UT PH-MAG',
  },
];

const COUNTRY_NAME_DIFFERENCES = {
  CD: 'Congo, Democratic Republic of the',
  GB: 'United Kingdom of Great Britain and Northern Ireland',
  NL: 'Netherlands, Kingdom of the',
  US: 'United States of America',
  VA: 'Holy See',
  VG: 'Virgin Islands (British)',
  VI: 'Virgin Islands (U.S.)',
};

const codes = (lists: string[]): string[] => lists.flatMap((list) => list.split(/\s+/).filter(Boolean)).sort();

function differingNames(
  mine: readonly { code: string; name: string }[],
  theirs: readonly { code: string; name: string }[],
): Record<string, string> {
  const theirName = new Map(theirs.map(({ code, name }) => [code, name]));
  const differing = mine.filter(({ code, name }) => theirName.has(code) && theirName.get(code) !== name);
  return Object.fromEntries(differing.map(({ code, name }) => [code, name]));
}

describe('the countries', () => {
  const countryCodes = COUNTRIES.map(({ code }) => code);

  it('are the 249 that an independent list has', () => {
    expect(COUNTRIES).toHaveLength(249);
    expect(countryCodes).toEqual(debianCountries.map(({ alpha_2 }) => alpha_2).sort());
  });

  it('are sorted by code, without duplicates', () => {
    expect(countryCodes).toEqual([...new Set(countryCodes)].sort());
  });

  it('have the names of the independent list, but for the explained differences', () => {
    const theirs = debianCountries.map(({ alpha_2, name }) => ({ code: alpha_2, name }));
    expect(differingNames(COUNTRIES, theirs)).toEqual(COUNTRY_NAME_DIFFERENCES);
  });

  it('do not include codes that are reserved, assigned by users or in lower case', () => {
    expect(['XK', 'UK', 'EU', 'AN', 'ZZ', 'de', ''].filter(isCountryCode)).toEqual([]);
    expect(isCountryCode('DE')).toBe(true);
  });
});

describe('the subdivisions', () => {
  it('are those of an independent list and of the changes since, and no others', () => {
    const expected = new Set(debianSubdivisions.map(({ code }) => code));
    for (const code of codes(CHANGES_SINCE.map(({ removed }) => removed))) expect(expected.delete(code)).toBe(true);
    for (const code of codes(CHANGES_SINCE.map(({ added }) => added))) {
      expect(expected.has(code)).toBe(false);
      expected.add(code);
    }
    expect(ours.map(({ code }) => code).sort()).toEqual([...expected].sort());
    expect(ours).toHaveLength(5046);
  });

  it('have the names of the independent list, but for the explained differences', () => {
    const explained = Object.values(nameDifferences);
    const merged = Object.assign({}, ...explained) as Record<string, string>;
    expect(Object.keys(merged)).toHaveLength(explained.flatMap((names) => Object.keys(names)).length);
    expect(differingNames(ours, debianSubdivisions)).toEqual(merged);
  });

  it('are missing in exactly 49 countries', () => {
    expect(COUNTRIES.filter(({ code }) => subdivisionsOf(code).length === 0)).toHaveLength(49);
    expect(subdivisionsOf('AQ')).toEqual([]);
  });

  it('have a code of the standard’s form that begins with their country', () => {
    for (const country of COUNTRIES) {
      for (const { code } of subdivisionsOf(country.code)) {
        expect(code).toMatch(/^[A-Z]{2}-[A-Z0-9]{1,3}$/);
        expect(code.slice(0, 3)).toBe(`${country.code}-`);
      }
    }
  });

  it('are sorted by code, without duplicates', () => {
    for (const country of COUNTRIES) {
      const own = subdivisionsOf(country.code).map(({ code }) => code);
      expect(own).toEqual([...new Set(own)].sort());
    }
  });

  it('have whole names in composed characters', () => {
    for (const { name } of [...COUNTRIES, ...ours]) {
      expect(name).toBe(name.normalize('NFC').trim());
      expect(name).not.toMatch(/[-,([\s]$|[[\]*†]/);
    }
  });

  it('belong to one country only', () => {
    expect(isSubdivisionOf('DE', 'DE-BY')).toBe(true);
    expect(isSubdivisionOf('AT', 'DE-BY')).toBe(false);
    expect(isSubdivisionOf('DE', 'DE-XX')).toBe(false);
    expect(isSubdivisionOf('XK', 'XK-01')).toBe(false);
  });
});
