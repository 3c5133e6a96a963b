import { TransferError } from '../transfer-error';
import { jsonRecords, type Place } from './json-records';

const USERS: Place = { list: 'member', name: 'users' };
const LIST: Place = { list: 'outermost' };

/** The records in a text that comes in pieces of so many bytes. */
async function recordsIn(
  text: string,
  place: Place,
  size = 7,
): Promise<[record: unknown, lines: number, bytes: number][]> {
  const bytes = Buffer.from(text);
  const file = {
    path: 'users.json',
    chunks: async function* () {
      // One piece of memory for all, as a file has it.
      const chunk = Buffer.alloc(size);
      for (let start = 0; start < bytes.length; start += size) {
        yield chunk.subarray(0, bytes.copy(chunk, 0, start));
        await Promise.resolve();
      }
    },
  };
  const found: [unknown, number, number][] = [];
  for await (const { content, end } of jsonRecords(file, place)) {
    found.push([Array.isArray(content) ? content[0]?.code : content.toString(), end.lines, end.bytes]);
  }
  return found;
}

describe('the records of a JSON document', () => {
  const DOCUMENT = `{"name": "a \\"users\\": [{", "users\\"": [{"not":1}],
    "roles": {"users": [{"not":2}]}, "list": [[{"users":[{"not":3}]}]],
    "users" : [ {"n":1, "s":"}]\\\\"} ,{"users":[{"inner":true}]},
      "text, ]", 17 , {"ü":"日本"} ], "after": {"users": [{"not":4}]} }`;

  it.each([1, 2, 3, 7, 64, 100_000])('are found in pieces of %d bytes', async (size) => {
    const found = await recordsIn(DOCUMENT, USERS, size);
    expect(found.map(([record, lines]) => [record, lines])).toEqual([
      ['{"n":1, "s":"}]\\\\"}', 1],
      ['{"users":[{"inner":true}]}', 2],
      ['"text, ]"', 3],
      ['17 ', 4],
      ['{"ü":"日本"}', 5],
    ]);
    for (const [record, , end] of found) {
      const before = Buffer.from(DOCUMENT).subarray(0, end).toString();
      expect(before.endsWith(String(record))).toBe(true);
    }
  });

  it('are found in a list, in several documents, and in a list of documents', async () => {
    const texts = async (text: string, place: Place) => (await recordsIn(text, place)).map(([record]) => record);
    expect(await texts('\ufeff [{"a":[]},{"b":{}} ]\n', LIST)).toEqual(['{"a":[]}', '{"b":{}}']);
    expect(await texts('{"users":[{"a":1}]}\n{"users":[{"a":2}]}', USERS)).toEqual(['{"a":1}', '{"a":2}']);
    expect(await texts('[{"users":[{"a":1}]},{"users":[{"a":2}]}]', USERS)).toEqual(['{"a":1}', '{"a":2}']);
    expect(await texts('{"users":[]}', USERS)).toEqual([]);
  });

  it('do not grow beyond their limit, and the next one is found', async () => {
    const long = `{"a":"${'x'.repeat(300_000)}"}`;
    const found = await recordsIn(`[${long},{"b":1}]`, LIST, 65_536);
    expect(found.map(([record]) => record)).toEqual(['TOO_LONG', '{"b":1}']);
  });

  it.each([
    ['nothing', ''],
    ['a list that does not end', '[{"a":1}'],
    ['a record that does not end', '[{"a":1'],
    ['a text that does not end', '[{"a":"}]'],
    ['a bracket that closes another one', '{"users":[{}}'],
    ['a bracket too many', '[{}]]'],
    ['no JSON', 'users'],
    ['something behind the document', '[{}] users'],
  ])('are not mistaken for all of them in %s', async (_, text) => {
    await expect(recordsIn(text, LIST)).rejects.toThrow(TransferError);
  });
});
