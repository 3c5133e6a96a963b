import fc from 'fast-check';
import { ifMatchHolds, ifNoneMatchHolds, strongEntityTag } from './entity-tag';

describe('strongEntityTag', () => {
  it('depends on the bytes alone', () => {
    const tag = strongEntityTag(Buffer.from('[]'));
    expect(tag).toBe('"T1PNoYwrqgwDVLtfmj7L5e0Sq02"');
    expect(strongEntityTag(Buffer.from('[]'))).toBe(tag);
    expect(strongEntityTag(Buffer.from('[] '))).not.toBe(tag);
  });
});

describe.each([
  { field: '"now"', weak: true, strong: true, of: 'the current tag' },
  { field: 'W/"now"', weak: true, strong: false, of: 'its weak form' },
  { field: '"then"', weak: false, strong: false, of: 'another tag' },
  { field: '"NOW"', weak: false, strong: false, of: 'another case' },
  { field: '*', weak: true, strong: true, of: 'the wildcard' },
  { field: '"*"', weak: false, strong: false, of: 'a tag that looks like the wildcard' },
  { field: '"then", "now"', weak: true, strong: true, of: 'a list' },
  { field: '"then",\tW/"now"', weak: true, strong: false, of: 'a list with the weak form' },
  { field: '"then",W/"now","now"', weak: true, strong: true, of: 'a list with both forms' },
  { field: ' , ,"now",,', weak: true, strong: true, of: 'a list with empty members' },
  { field: '"a,b", "now"', weak: true, strong: true, of: 'a comma inside a tag' },
  { field: '"a b", "now"', weak: false, strong: false, of: 'a space inside a tag' },
  { field: '"then, "now"', weak: false, strong: false, of: 'a tag that swallows the next' },
  { field: '""', weak: false, strong: false, of: 'the empty tag' },
  { field: '', weak: false, strong: false, of: 'an empty field' },
  { field: ',', weak: false, strong: false, of: 'an empty list' },
  { field: 'now', weak: false, strong: false, of: 'a tag without quotes' },
  { field: "'now'", weak: false, strong: false, of: 'single quotes' },
  { field: '"now', weak: false, strong: false, of: 'an unterminated tag' },
  { field: '"now" "then"', weak: false, strong: false, of: 'a list without commas' },
  { field: 'w/"now"', weak: false, strong: false, of: 'a weak mark in the wrong case' },
  { field: 'W/ "now"', weak: false, strong: false, of: 'a weak mark apart from its tag' },
  { field: '*, "now"', weak: false, strong: false, of: 'a wildcard in a list' },
  { field: '"now"; x', weak: false, strong: false, of: 'a tag with trailing text' },
  { field: '"now"\u00a0', weak: false, strong: false, of: 'a space that is not one of HTTP' },
])('$of: $field', ({ field, weak, strong }) => {
  it(`${weak ? 'matches' : 'does not match'} for If-None-Match`, () => {
    expect(ifNoneMatchHolds(field, '"now"')).toBe(!weak);
  });

  it(`${strong ? 'matches' : 'does not match'} for If-Match`, () => {
    expect(ifMatchHolds(field, '"now"')).toBe(strong);
  });
});

describe('conditions', () => {
  const character = fc.constantFrom('!', '#', ',', ' ', '~', 'a', '*', '/', 'W', '\x80', '\xff');
  const opaque = fc.string({ unit: character }).map((text) => `"${text.replaceAll(' ', '')}"`);
  const member = fc.record({ mark: fc.constantFrom('', 'W/'), opaque }).map(({ mark, opaque }) => mark + opaque);

  it('hold when their field is absent', () => {
    expect(ifNoneMatchHolds(undefined, '"now"')).toBe(true);
    expect(ifMatchHolds(undefined, '"now"')).toBe(true);
  });

  it('never match strongly on a weak tag of our own', () => {
    expect(ifMatchHolds('W/"now"', 'W/"now"')).toBe(false);
    expect(ifNoneMatchHolds('W/"now"', 'W/"now"')).toBe(false);
  });

  it('find a tag in any well-formed list exactly when it is a member', () => {
    fc.assert(
      fc.property(fc.array(member), opaque, (members, current) => {
        const field = members.join(', ');
        const weak = members.some((tag) => tag === current || tag === `W/${current}`);
        expect(ifNoneMatchHolds(field, current)).toBe(!weak);
        expect(ifMatchHolds(field, current)).toBe(members.includes(current));
      }),
    );
  });

  it('take any text without an error, and If-Match never believes more than If-None-Match', () => {
    const noise = fc.string({ unit: fc.constantFrom('"', 'W', '/', ',', ' ', '\t', '*', 'a', '\0', '\x7f', 'é') });
    fc.assert(
      fc.property(noise, (field) => {
        if (ifMatchHolds(field, '"a"')) expect(ifNoneMatchHolds(field, '"a"')).toBe(false);
      }),
    );
  });

  it.each([
    '"'.repeat(16_384),
    ' '.repeat(16_384) + 'x',
    '"a' + ' '.repeat(16_384),
    'W/'.repeat(8_192),
    ','.repeat(16_384),
  ])('judge a field as long as Node takes at all', (field) => {
    expect(ifNoneMatchHolds(field, '"now"')).toBe(true);
  });
});
