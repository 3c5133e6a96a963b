import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { ROOT } from '../../support/documents/pages';

interface Item {
  name: string;
  request: { method: string; header: { key: string; value: string }[]; url: { raw: string } };
}

interface Collection {
  info: { schema: string };
  variable: { key: string; value: string }[];
  item: { name: string; item: Item[] }[];
}

interface Document {
  paths: Record<string, Record<string, { tags: string[] }>>;
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const text = read('clients/postman/consumer-service.postman_collection.json');
const collection = JSON.parse(text) as Collection;
const { paths } = JSON.parse(read('docs/openapi.json')) as Document;

const string = { type: 'string' };
const isDisabled = { type: 'boolean' };
const shape = (required: string[], properties: object) => ({
  ...{ type: 'object', additionalProperties: false },
  ...{ required, properties },
});
const list = (items: object) => ({ type: 'array', items });
const pair = shape(['key', 'value'], { key: string, value: string, description: string, disabled: isDisabled });

/** Postman Collection v2.1, as far as the collection uses it; nothing else may stand in it. */
const SCHEMA = shape(['info', 'variable', 'event', 'item'], {
  info: shape(['name', 'schema'], {
    name: string,
    description: string,
    version: string,
    schema: { const: collection.info.schema },
  }),
  variable: list(shape(['key', 'value'], { key: string, value: string, type: { const: 'string' } })),
  event: list(
    shape(['listen', 'script'], {
      listen: { enum: ['test', 'prerequest'] },
      script: shape(['exec'], { type: { const: 'text/javascript' }, exec: list(string) }),
    }),
  ),
  item: list(
    shape(['name', 'item'], {
      ...{ name: string, description: string },
      item: list(
        shape(['name', 'request', 'response'], {
          name: string,
          request: shape(['method', 'url', 'header'], {
            method: { enum: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] },
            auth: shape(['type'], {
              type: { enum: ['noauth', 'bearer'] },
              bearer: list(shape(['key', 'value', 'type'], { key: { const: 'token' }, value: string, type: string })),
            }),
            header: list(pair),
            url: shape(['raw', 'host', 'path'], {
              ...{ raw: string, host: list(string), path: list({ type: 'string', minLength: 1 }) },
              ...{ query: list(pair), variable: list(pair) },
            }),
            body: shape(['mode', 'raw'], {
              ...{ mode: { const: 'raw' }, raw: string },
              options: shape(['raw'], { raw: shape(['language'], { language: { const: 'json' } }) }),
            }),
            description: string,
          }),
          response: list(
            shape(['name', 'code', 'body'], {
              ...{ name: string, code: { type: 'integer', minimum: 200, maximum: 299 } },
              ...{ header: list(pair), body: string },
            }),
          ),
        }),
      ),
    }),
  ),
});

const items = collection.item.flatMap((folder) => folder.item);

describe('the Postman collection', () => {
  it('is that of the API document: `npm run openapi` writes it', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/write-postman.mjs', '--check'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('is valid', () => {
    expect(collection.info.schema).toBe('https://schema.getpostman.com/json/collection/v2.1.0/collection.json');
    const validate = new Ajv({ allErrors: true }).compile(SCHEMA);
    validate(collection);
    expect(validate.errors).toBeNull();
  });

  it('has every operation', () => {
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => method !== 'parameters')
        .map((method) => `${method.toUpperCase()} {{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(items.map(({ request: { method, url } }) => `${method} ${url.raw}`).toSorted()).toEqual(
      described.toSorted(),
    );
    expect(described.length).toBeGreaterThan(40);
  });

  it('sends the credential of the touchpoint from variables, and declares every variable that it uses', () => {
    const ofTouchpoints = items.filter(({ request }) => request.url.raw.startsWith('{{baseUrl}}/api/v1/'));
    for (const { name, request } of ofTouchpoints) {
      expect([name, new Set(request.header.map(({ key }) => key)).size]).toEqual([name, request.header.length]);
      const header = Object.fromEntries(request.header.map(({ key, value }) => [key, value]));
      expect([name, header]).toMatchObject([
        name,
        { 'X-Touchpoint-Code': '{{touchpointCode}}', 'X-Touchpoint-Key': '{{touchpointKey}}' },
      ]);
    }
    const used = new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name));
    const declared = new Set(collection.variable.map(({ key }) => key));
    expect([...used].filter((name) => !declared.has(name))).toEqual([]);
    expect([...declared].filter((name) => !used.has(name))).toEqual([]);
    expect(text).not.toMatch(/tpk_\w|sub_\w{20}/);
  });
});
