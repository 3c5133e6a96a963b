import fc from 'fast-check';
import { canonicalJson } from './canonical-json';

/** The same value with the members of its objects in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

const parsed = (text: string): unknown => JSON.parse(text);

describe('canonicalJson', () => {
  it('is a text of the same value, whatever the order of members was', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = canonicalJson(value);
        expect(parsed(text)).toEqual(parsed(JSON.stringify(value)));
        expect(canonicalJson(reversed(value))).toBe(text);
      }),
    );
  });

  it.each([
    ['{"b":[1,{"d":null,"c":true}],"a":"x"}', ' { "a" : "\\u0078", "b" : [ 1.0, { "c" : true, "d" : null } ] } '],
    ['{"n":100}', '{"n":1e2}'],
    ['{"n":0}', '{"n":-0}'],
    ['{"":1,"__proto__":2}', '{"__proto__":2,"":1}'],
  ])('takes %s and %s for the same', (one, other) => {
    expect(canonicalJson(parsed(one))).toBe(canonicalJson(parsed(other)));
  });

  it.each([
    ['{"a":[1,2]}', '{"a":[2,1]}'],
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":null}', '{}'],
    ['{"a":"x"}', '{"a":"x "}'],
    ['{"a":"\\u00e9"}', '{"a":"e\\u0301"}'],
    ['{"a":{"b":1}}', '{"a":{},"b":1}'],
    ['{"a":"1,\\"b\\":2"}', '{"a":"1","b":2}'],
  ])('tells %s from %s', (one, other) => {
    expect(canonicalJson(parsed(one))).not.toBe(canonicalJson(parsed(other)));
  });
});
