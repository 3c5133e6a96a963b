/** The language of our own names, which do not depend on the version of ICU. */
export const DEFAULT_LANGUAGE = 'en';

/** One member of `Accept-Language` (RFC 9110, section 12.5.4; RFC 4647, section 2.1). */
const MEMBER =
  /^(?<range>\*|[a-z]{1,8}(?:-[a-z\d]{1,8})*)(?:[\t ]*;[\t ]*q=(?<weight>0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i;

/** Languages with a second script for which ICU has names, and which a region can imply (`zh-TW`, `sr-ME`). */
const OTHER_SCRIPTS = new Set(['zh-Hant', 'sr-Latn']);

/** No reader has more languages; longer lists only cost time. */
const MAX_RANGES = 32;

/** The language to answer in, as a canonical tag: a lookup as in RFC 4647, section 3.4, over the languages ICU has names in. */
export function acceptedLanguage(field: string | undefined): string {
  const ranges = field === undefined ? [] : weightedRanges(field);
  // `*` means every language that no other range names.
  const wildcardLanguage = ranges.some(({ range }) => /^en\b/i.test(range)) ? undefined : DEFAULT_LANGUAGE;
  for (const { range, weight } of ranges) {
    if (weight === 0) break;
    const language = range === '*' ? wildcardLanguage : supportedLanguage(range);
    if (language !== undefined) return language;
  }
  return DEFAULT_LANGUAGE;
}

/** The best ranges first, the refused last; none if the field is malformed. */
function weightedRanges(field: string): { range: string; weight: number }[] {
  const ranges: { range: string; weight: number }[] = [];
  for (const member of field.split(',')) {
    const text = member.trim();
    if (text === '') continue;
    const { range, weight = '1' } = MEMBER.exec(text)?.groups ?? {};
    if (range === undefined) return [];
    ranges.push({ range, weight: Number(weight) });
  }
  return ranges.sort((a, b) => b.weight - a.weight).slice(0, MAX_RANGES);
}

function supportedLanguage(range: string): string | undefined {
  try {
    const { language, script } = new Intl.Locale(range).maximize();
    const written = `${language}-${script ?? ''}`;
    return Intl.DisplayNames.supportedLocalesOf(OTHER_SCRIPTS.has(written) ? written : language)[0];
  } catch {
    return undefined; // A well-formed range may still not be a language tag (BCP 47).
  }
}
