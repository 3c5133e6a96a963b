import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../platform/errors/api-error';
import { PreparedAnswer } from '../platform/http/prepared-answer';
import { acceptedLanguage, DEFAULT_LANGUAGE } from './accepted-language';
import { COUNTRIES, type Country, isCountryCode, subdivisionsOf } from './iso-3166';

/** Answers with ISO 3166 data; each answer is made at its first use and kept. */
@Injectable()
export class ReferenceService {
  private readonly countriesByLanguage = new LRUCache<string, PreparedAnswer>({
    max: 64,
    memoMethod: (language) => answerOf(countriesIn(language), { 'Content-Language': language }),
  });
  private readonly subdivisionsByCountry = new Map<string, PreparedAnswer>();

  countries(acceptLanguage: string | undefined): PreparedAnswer {
    return this.countriesByLanguage.memo(acceptedLanguage(acceptLanguage));
  }

  subdivisions(countryCode: string): PreparedAnswer {
    // ASCII letters only, because the upper case of `ß` is `SS`: South Sudan.
    const code = /^[a-z]{2}$/i.test(countryCode) ? countryCode.toUpperCase() : '';
    if (!isCountryCode(code)) throw new ApiError('COUNTRY_NOT_FOUND');
    let answer = this.subdivisionsByCountry.get(code);
    if (!answer) {
      answer = answerOf(subdivisionsOf(code));
      this.subdivisionsByCountry.set(code, answer);
    }
    return answer;
  }
}

const answerOf = (value: unknown, headers: Record<string, string> = {}): PreparedAnswer =>
  new PreparedAnswer(Buffer.from(JSON.stringify(value)), 'application/json; charset=utf-8', {
    'Cache-Control': 'public, max-age=86400',
    // Names the credential too, so that no shared cache gives the answer to a client without one.
    Vary: 'X-Touchpoint-Code, X-Touchpoint-Key, Accept-Language',
    ...headers,
  });

/** Our own names in English, ICU's in other languages, or the English one if ICU has none. */
function countriesIn(language: string): readonly Country[] {
  if (language === DEFAULT_LANGUAGE) return COUNTRIES;
  const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
  return COUNTRIES.map(({ code, name }) => ({ code, name: names.of(code) ?? name }));
}
