import { iso31661 } from 'iso-3166/1.js';
import { iso31662 } from 'iso-3166/2.js';

export interface Country {
  /** ISO 3166-1 alpha-2. */
  readonly code: string;
  readonly name: string;
}

export interface Subdivision {
  /** ISO 3166-2. */
  readonly code: string;
  readonly name: string;
}

/** Codes that the package lists and ISO 3166-2 does not (docs/decisions/reference-data.md). */
const NOT_IN_ISO_3166_2 = new Set([
  // Counties, until the regions replaced them in 2007.
  ...['DK-015', 'DK-020', 'DK-025', 'DK-030', 'DK-035', 'DK-040', 'DK-042', 'DK-050', 'DK-055', 'DK-060', 'DK-065'],
  ...['DK-070', 'DK-076', 'DK-080', 'DK-101', 'DK-147'],
  // Districts, until the cantons replaced them.
  ...['LU-D', 'LU-G', 'LU-L'],
  // Deleted on 2019-11-22.
  ...['GH-BA', 'PK-TA'],
  // Groups of nations, and the country itself: named in the standard's notes, not subdivisions.
  ...['GB-EAW', 'GB-GBN', 'GB-UKM'],
]);

/** Names that the package cuts off at a line break, and one it misspells. */
const WHOLE_NAMES = new Map([
  ['DK-82', 'Region Midtjylland'],
  ['GR-A', 'Anatolikí Makedonía kai Thráki'],
  ['RU-KB', 'Kabardino-Balkarskaya Respublika'],
  ['RU-KC', 'Karachayevo-Cherkesskaya Respublika'],
  ['RU-KHM', 'Khanty-Mansiyskiy avtonomnyy okrug'],
  ['RU-LEN', "Leningradskaya oblast'"],
  ['RU-NEN', 'Nenetskiy avtonomnyy okrug'],
  ['RU-NVS', "Novosibirskaya oblast'"],
  ['RU-VGG', "Volgogradskaya oblast'"],
  ['RU-VLA', "Vladimirskaya oblast'"],
  ['RU-YAN', 'Yamalo-Nenetskiy avtonomnyy okrug'],
]);

const byCode = (a: { code: string }, b: { code: string }): number => (a.code < b.code ? -1 : 1);

/** Every country of ISO 3166-1, sorted by code. */
export const COUNTRIES: readonly Country[] = iso31661.map(({ alpha2, name }) => ({ code: alpha2, name })).sort(byCode);

const subdivisionsByCountry = new Map(COUNTRIES.map(({ code }) => [code, [] as Subdivision[]]));
for (const { code, name } of iso31662.toSorted(byCode)) {
  if (NOT_IN_ISO_3166_2.has(code)) continue;
  subdivisionsByCountry.get(code.slice(0, 2))?.push({ code, name: WHOLE_NAMES.get(code) ?? name });
}

/** Whether an upper-case code is one of ISO 3166-1 alpha-2. */
export function isCountryCode(code: string): boolean {
  return subdivisionsByCountry.has(code);
}

/** The subdivisions of a country at every level of ISO 3166-2, sorted by code; none for an unknown country. */
export function subdivisionsOf(countryCode: string): readonly Subdivision[] {
  return subdivisionsByCountry.get(countryCode) ?? [];
}

/** Whether an upper-case code is one of ISO 3166-2 and belongs to the country. */
export function isSubdivisionOf(countryCode: string, subdivisionCode: string): boolean {
  return subdivisionsOf(countryCode).some(({ code }) => code === subdivisionCode);
}
