import fc from 'fast-check';
import { ApiError } from '../../errors/api-error';
import { parseStrictJson } from './strict-json';

const parse = (text: string) => parseStrictJson(Buffer.from(text));

function refusal(bytes: Buffer): ApiError | undefined {
  try {
    parseStrictJson(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const arrays = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

describe('parseStrictJson', () => {
  it.each([
    ['{}', {}],
    [' \t\r\n{ "a" : [ 1 , -0.5e-3, true, false, null ] } \n', { a: [1, -0.0005, true, false, null] }],
    ['{"":{"":""}}', { '': { '': '' } }],
    ['{"a":{"k":1},"b":{"k":1},"c":[{"k":1},{"k":1}]}', { a: { k: 1 }, b: { k: 1 }, c: [{ k: 1 }, { k: 1 }] }],
    ['{"k":{"k":"k"},"\\"k\\":":"k:"}', { k: { k: 'k' }, '"k":': 'k:' }],
    ['{"a":"{\\"[","b":"\\\\"}', { a: '{"[', b: '\\' }],
    ['{"a":"\\ud83d\\ude00 \\u00e9 \\/ 😀"}', { a: '😀 é / 😀' }],
    ['{"a":"\\\\u0000 \\\\ud800"}', { a: '\\u0000 \\ud800' }],
    ['{"a":"12345678901234567890 1e400"}', { a: '12345678901234567890 1e400' }],
    ['{"a":9007199254740991,"b":-9007199254740991}', { a: 9007199254740991, b: -9007199254740991 }],
    ['{"a":1e20,"b":0.1,"c":1E+2}', { a: 1e20, b: 0.1, c: 100 }],
    [arrays(32), JSON.parse(arrays(32))],
  ])('reads %j', (text, value) => {
    expect(parse(text)).toStrictEqual(value);
  });

  it.each([
    ['nothing', '', 'The body is empty.'],
    ['white space alone', ' \n', 'The body is not valid JSON.'],
    ['a byte order mark', '\uFEFF{}', 'The body must not start with a byte order mark.'],
    ['a byte order mark inside', '{\uFEFF}', 'The body is not valid JSON.'],
    ['an array', '[]', 'The body must be a JSON object.'],
    ['null', 'null', 'The body must be a JSON object.'],
    ['a string', '"{}"', 'The body must be a JSON object.'],
    ['a number', '1', 'The body must be a JSON object.'],
    ['two values', '{}{}', 'The body is not valid JSON.'],
    ['an unfinished object', '{"a":', 'The body is not valid JSON.'],
    ['a trailing comma', '{"a":1,}', 'The body is not valid JSON.'],
    ['a comment', '{/**/}', 'The body is not valid JSON.'],
    ['single quotes', "{'a':1}", 'The body is not valid JSON.'],
    ['a bare key', '{a:1}', 'The body is not valid JSON.'],
    ['NaN', '{"a":NaN}', 'The body is not valid JSON.'],
    ['a leading zero', '{"a":01}', 'The body is not valid JSON.'],
    ['a leading plus', '{"a":+1}', 'The body is not valid JSON.'],
    ['a bare decimal point', '{"a":1.}', 'The body is not valid JSON.'],
    ['a control character in a string', '{"a":"\n"}', 'The body is not valid JSON.'],
    ['an unknown escape', '{"a":"\\x41"}', 'The body is not valid JSON.'],
    ['a no-break space between tokens', '{\u00a0}', 'The body is not valid JSON.'],
    ['a depth of 33', arrays(33), 'The body is nested more than 32 levels deep.'],
    ['a depth of thousands', arrays(8000), 'The body is nested more than 32 levels deep.'],
    ['a key twice', '{"a":1,"a":1}', 'An object has the same key twice.'],
    ['a key twice, once escaped', '{"a":1,"\\u0061":2}', 'An object has the same key twice.'],
    ['a key twice, far apart', '{"a":{"b":{}},"c":[{}],"a":1}', 'An object has the same key twice.'],
    ['a key twice, deep inside', '{"a":[{"b":{"c":1,"c" : 2}}]}', 'An object has the same key twice.'],
    ['the key __proto__ twice', '{"__proto__":1,"__proto__":2}', 'An object has the same key twice.'],
    ['a high surrogate alone', '{"a":"\\ud800"}', 'A string holds half of a surrogate pair.'],
    ['a low surrogate alone', '{"a":["\\uDC00"]}', 'A string holds half of a surrogate pair.'],
    ['surrogates in the wrong order', '{"a":"\\ude00\\ud83d"}', 'A string holds half of a surrogate pair.'],
    ['a lone surrogate in a key', '{"\\ud800":1}', 'A string holds half of a surrogate pair.'],
    ['U+0000', '{"a":"\\u0000"}', 'A string holds the character U+0000.'],
    ['U+0000 in a key', '{"a\\u0000":1}', 'A string holds the character U+0000.'],
    ['an integer that would be rounded', '{"a":9007199254740993}', 'A number is too large.'],
    ['a negative one', '{"a":[-9007199254740992]}', 'A number is too large.'],
    ['a number beyond all doubles', '{"a":1e400}', 'A number is too large.'],
    ['the same with a fraction', '{"a":-1.5E+400}', 'A number is too large.'],
  ])('refuses %s', (_what, text, detail) => {
    expect(refusal(Buffer.from(text))).toMatchObject({ code: 'MALFORMED_JSON', detail });
  });

  it.each([
    ['a lone byte', [0xff]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a sequence cut short', [0xf0, 0x9f, 0x98]],
  ])('refuses invalid UTF-8: %s', (_what, bytes) => {
    const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]);
    expect(refusal(body)?.detail).toBe('The body is not valid UTF-8.');
  });

  it('takes __proto__ for a key like any other', () => {
    const value = parse('{"__proto__":{"admin":true}}');
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value.admin).toBeUndefined();
  });

  it('never quotes the body, which may hold a password', () => {
    const error = refusal(Buffer.from('{"password":"swordfish",}'));
    expect(`${error?.message} ${error?.detail} ${String(error?.cause)}`).not.toContain('swordfish');
  });

  it('returns every object that JSON.stringify can write', () => {
    const string = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
    const key = fc.oneof(string, fc.constant('__proto__'));
    const { object } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 8 },
        string,
        fc.maxSafeInteger(),
        fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        tie('object'),
      ),
      object: fc.dictionary(key, tie('value'), { maxKeys: 5, noNullPrototype: true }),
    }));
    fc.assert(
      fc.property(object, fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parse(text)).toStrictEqual(JSON.parse(text));
      }),
    );
  });

  it('answers every sequence of bytes with an object or a refusal', () => {
    const jsonLike = fc
      .array(
        fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', '\\u', 'd800', '0', '-', 'e', '"a"', ' ', '\uFEFF'),
      )
      .map((parts) => Buffer.from(`{${parts.join('')}}`));
    const anything = fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(fc.oneof(jsonLike, anything), (bytes) => {
        const error = refusal(bytes);
        if (error) expect(error.code).toBe('MALFORMED_JSON');
      }),
      { numRuns: 1000 },
    );
  });
});
