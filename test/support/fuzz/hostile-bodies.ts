import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(join(__dirname, '../../fixtures/hostile', name), 'utf8'));

export const NAUGHTY_STRINGS = fixture('strings.json') as string[];

/** Texts, each character a byte, that the service must refuse as `MALFORMED_JSON`, and some that it must not. */
export const JSON_TEXTS = fixture('json-texts.json') as { refused: string[]; accepted: string[] };

/** What is done to a body that was good: to a member that is named by a number, or to its bytes. */
export interface BodyDamage {
  edits: { member: number; kind: 'replace' | 'append' | 'remove' | 'repeat' | 'rename' | 'add'; json: string }[];
  bytes: { at: number; kind: 'change' | 'insert' | 'cut'; byte: number }[];
  /** Sent in its place. */
  instead?: Buffer;
}

/** UTF-16 units as they fall, so that surrogates come without their other halves. */
const anyUnits = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
  .map((units) => String.fromCharCode(...units));

const longString = fc
  .tuple(
    fc.constantFrom('a', ' ', '\u0301', '😀', '\\', '"', '\u0000', 'ß'),
    fc.constantFrom(8, 99, 101, 255, 257, 4_000, 15_000),
  )
  .map(([text, count]) => text.repeat(count));

export const hostileString = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...NAUGHTY_STRINGS) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 110 }) },
  { weight: 1, arbitrary: anyUnits },
  { weight: 1, arbitrary: longString },
);

/** JSON texts, some of which no value has. */
export const hostileJson = fc.oneof(
  { weight: 6, arbitrary: hostileString.map((text) => JSON.stringify(text)) },
  { weight: 2, arbitrary: fc.json({ maxDepth: 4, stringUnit: 'binary' }) },
  { weight: 1, arbitrary: fc.constantFrom('null', 'true', 'false', '{}', '[]', '""', '[[]]', '[null]') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '0',
      '-0',
      '-1',
      '1.5',
      '1e308',
      '1e999',
      '9007199254740991',
      '9007199254740993',
      '5e-324',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '{"__proto__":{"isAdmin":true}}',
      '{"constructor":{"prototype":{"isAdmin":true}}}',
      '{"toString":1,"valueOf":2,"hasOwnProperty":3,"then":4,"toJSON":5}',
      '{"length":1,"0":"a"}',
      '{"$ne":null}',
      '["ada@example.com","eve@example.com"]',
      '['.repeat(31) + ']'.repeat(31),
      '['.repeat(5_000) + ']'.repeat(5_000),
      '{"a":'.repeat(2_000) + '1' + '}'.repeat(2_000),
      '["' + 'x","'.repeat(3_000) + '"]',
    ),
  },
);

const edit = fc.record({
  member: fc.nat(40),
  kind: fc.constantFrom<BodyDamage['edits'][number]['kind']>(
    'replace',
    'replace',
    'replace',
    'append',
    'remove',
    'repeat',
    'rename',
    'add',
  ),
  json: hostileJson,
});

const byteDamage = fc.record({
  at: fc.nat(2_000),
  kind: fc.constantFrom<BodyDamage['bytes'][number]['kind']>('change', 'insert', 'cut'),
  byte: fc.nat(255),
});

export const bodyDamage: fc.Arbitrary<BodyDamage> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ edits: fc.array(edit, { minLength: 1, maxLength: 3 }), bytes: fc.constant([] as never[]) }),
  },
  { weight: 2, arbitrary: fc.constant<BodyDamage>({ edits: [], bytes: [] }) },
  {
    weight: 2,
    arbitrary: fc.record({
      edits: fc.array(edit, { maxLength: 1 }),
      bytes: fc.array(byteDamage, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      edits: fc.constant([] as never[]),
      bytes: fc.constant([] as never[]),
      instead: fc.oneof(
        fc.constantFrom(...JSON_TEXTS.refused, ...JSON_TEXTS.accepted).map((text) => Buffer.from(text, 'latin1')),
        fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
        hostileJson.map((json) => Buffer.from(json)),
        fc.constantFrom(16_384, 16_385, 200_000).map((length) => Buffer.from(`{"a":"${'x'.repeat(length - 8)}"}`)),
      ),
    }),
  },
);

/** An object as text, whose members can be wrong in ways that no object can be. */
type Members = [name: string, value: string | Members][];

export function damaged(body: Record<string, unknown>, { edits, bytes, instead }: BodyDamage): Buffer {
  if (instead) return instead;
  const members = membersOf(body);
  for (const one of edits) applyEdit(members, one);
  let text = Buffer.from(textOf(members));
  for (const { at, kind, byte } of bytes) {
    const position = at % (text.length + 1);
    const rest = kind === 'cut' ? Buffer.alloc(0) : text.subarray(kind === 'change' ? position + 1 : position);
    text = Buffer.concat([text.subarray(0, position), kind === 'cut' ? Buffer.alloc(0) : Buffer.from([byte]), rest]);
  }
  return text;
}

function applyEdit(root: Members, { member, kind, json }: BodyDamage['edits'][number]): void {
  const places = placesIn(root);
  const place = places[member % Math.max(places.length, 1)];
  if (!place || kind === 'add') {
    root.push([kind === 'add' ? '"__proto__"' : '"added"', json]);
    return;
  }
  const [container, index] = place;
  const [name, value] = container[index] ?? ['""', ''];
  const isText = typeof value === 'string' && value.startsWith('"') && json.startsWith('"');
  if (kind === 'remove') container.splice(index, 1);
  else if (kind === 'repeat') container.push([name, json]);
  else if (kind === 'rename') container[index] = [json.startsWith('"') ? json : '"x"', value];
  else if (kind === 'append' && isText) container[index] = [name, value.slice(0, -1) + json.slice(1)];
  else container[index] = [name, json];
}

const membersOf = (object: Record<string, unknown>): Members =>
  Object.entries(object).map(([name, value]) => [
    JSON.stringify(name),
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? membersOf(value as Record<string, unknown>)
      : JSON.stringify(value),
  ]);

const placesIn = (members: Members): [Members, number][] =>
  members.flatMap(([, value], index) => [
    [members, index] as [Members, number],
    ...(typeof value === 'string' ? [] : placesIn(value)),
  ]);

const textOf = (members: Members): string =>
  `{${members.map(([name, value]) => `${name}:${typeof value === 'string' ? value : textOf(value)}`).join(',')}}`;
