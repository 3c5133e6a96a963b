import type { OpenAPIObject } from '@nestjs/swagger';
import { inDialectOf30 } from './openapi-3.0';

const converted = (schema: object): unknown => {
  const schemas = { It: schema, Address: { type: ['object', 'null'] } };
  const document = { openapi: '3.1.0', info: {}, paths: {}, components: { schemas } };
  return inDialectOf30(document as unknown as OpenAPIObject).components?.schemas?.It;
};

describe('the document in OpenAPI 3.0', () => {
  it('says what version it is', () => {
    expect(inDialectOf30({ openapi: '3.1.0' } as OpenAPIObject).openapi).toBe('3.0.3');
  });

  it.each([
    ['null as a type', { type: ['string', 'null'], maxLength: 9 }, { type: 'string', nullable: true, maxLength: 9 }],
    ['several types', { type: ['string', 'number'], description: 'A limit.' }, { description: 'A limit.' }],
    [
      'a map to values of several types',
      { additionalProperties: { type: ['string', 'number'] } },
      { additionalProperties: true },
    ],
    ['a constant', { type: 'string', const: 'no-store' }, { type: 'string', enum: ['no-store'] }],
    ['examples of a schema', { type: 'string', examples: ['DE'] }, { type: 'string', example: 'DE' }],
    ['an example that is null', { type: 'string', examples: [null] }, { type: 'string', example: null }],
    [
      'what stands beside a reference',
      { properties: { of: { $ref: '#/x', description: 'Whose.' } } },
      { properties: { of: { allOf: [{ $ref: '#/x' }], description: 'Whose.' } } },
    ],
    [
      'a reference to what may be null',
      { properties: { address: { $ref: '#/components/schemas/Address' } } },
      {
        properties: { address: { type: 'object', nullable: true, allOf: [{ $ref: '#/components/schemas/Address' }] } },
      },
    ],
    ['a reference alone', { items: { $ref: '#/x' } }, { items: { $ref: '#/x' } }],
    ['named examples of a body', { examples: { usual: { value: 1 } } }, { examples: { usual: { value: 1 } } }],
  ])('writes %s as that version does', (_, schema, expected) => {
    expect(converted(schema)).toEqual(expected);
  });
});
