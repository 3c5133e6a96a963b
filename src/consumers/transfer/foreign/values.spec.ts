import { splitName } from './names';
import { flagOf, localeText, timeText } from './values';

describe('a name in one', () => {
  it.each([
    ['Ada Lovelace', 'Ada', 'Lovelace'],
    ['  Ada   King  Lovelace ', 'Ada King', 'Lovelace'],
    ['Lovelace, Ada', 'Ada', 'Lovelace'],
    ['van Gogh, Vincent Willem', 'Vincent Willem', 'van Gogh'],
    ['María del Carmen Núñez', 'María del Carmen', 'Núñez'],
    ['山田　太郎', '山田', '太郎'],
    ['Cher', 'Cher', undefined],
    ['Sammy Davis, Jr., Singer', 'Sammy Davis, Jr.,', 'Singer'],
    ['ada@example.com', undefined, undefined],
    ['   ', undefined, undefined],
    ['', undefined, undefined],
  ])('has a first and a last part: %j', (name, firstName, lastName) => {
    const split = splitName(name);
    expect([split.firstName, split.lastName]).toEqual([firstName, lastName]);
  });
});

describe('a value of another system', () => {
  it.each([
    [1_600_000_000_000, '2020-09-13T12:26:40.000Z'],
    ['1600000000000', '2020-09-13T12:26:40.000Z'],
    ['2021-02-03 04:05:06.789012+00', '2021-02-03T04:05:06.789012+00:00'],
    ['2021-02-03 04:05:06+05:30', '2021-02-03T04:05:06+05:30'],
    ['2021-02-03 04:05:06-0330', '2021-02-03T04:05:06-03:30'],
    ['2021-02-03T04:05:06Z', '2021-02-03T04:05:06Z'],
    ['yesterday', 'yesterday'],
    [9e15, 9e15],
    [true, true],
    [undefined, undefined],
  ])('is a time in our form, or stays as it is: %j', (value, expected) => {
    expect(timeText(value)).toBe(expected);
  });

  it.each([
    ['pt_BR', 'pt-BR'],
    ['EN', 'en'],
    ['not a locale', undefined],
    ['', undefined],
    [17, undefined],
  ])('is a language tag, or none: %j', (value, expected) => {
    expect(localeText(value)).toBe(expected);
  });

  it.each([
    ['Yes', true],
    ['t', true],
    ['0', false],
    ['FALSE', false],
    [true, true],
    ['maybe', 'maybe'],
    [undefined, undefined],
  ])('is a flag, or stays as it is: %j', (value, expected) => {
    expect(flagOf(value)).toBe(expected);
  });
});
