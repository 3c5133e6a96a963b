import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { ApiDocument, linesOf } from '../../support/documents/api-document';
import { TestService } from '../../support/service/test-service';

describe('the OpenAPI document of the service', () => {
  let document: ApiDocument;

  beforeAll(async () => {
    document = await ApiDocument.of(await TestService.shared());
  });

  it('is of OpenAPI 3.1, and gives every operation an id of its own', () => {
    expect(document.content.openapi).toMatch(/^3\.1\./);
    const ids = document.operations.map(([, { operationId }]) => operationId);
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is committed as it is served: `npm run openapi` writes it', () => {
    const committed = readFileSync(join(__dirname, '../../../docs/openapi.json'), 'utf8');
    expect(JSON.parse(committed)).toEqual(document.content);
  });

  it('shows for every operation what is sent and answered, each with examples that fit their schema', () => {
    const ajv = addFormats(new Ajv2020({ strict: false }));
    ajv.addSchema({ $id: 'openapi', ...document.content });
    const faults: string[] = [];
    for (const [line, operation] of document.operations) {
      if (!/\S/.test(operation.summary ?? '')) faults.push(`${line} has no summary`);
      if (!/\S/.test(operation.description ?? '')) faults.push(`${line} has no description`);
      if (Object.keys(operation.responses).length === 0) faults.push(`${line} has no status`);
      for (const [status, { description, headers = {}, content }] of document.responsesOf(operation)) {
        if (!description) faults.push(`${line} ${status} has no description`);
        if (!headers['X-Request-Id'] || !headers['Cache-Control']) faults.push(`${line} ${status} lacks headers`);
        if (!content && !['204', '304'].includes(status)) faults.push(`${line} ${status} has no body`);
      }
      for (const { place, schema, examples } of document.bodiesOf(operation)) {
        if (examples.length === 0 || !schema) faults.push(`${line} ${place} has no example or no schema`);
        const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as object;
        for (const [name, value] of examples) {
          if (!ajv.validate(absolute, value)) faults.push(`${line} ${place} ${name}: ${ajv.errorsText()}`);
        }
      }
    }
    expect(faults).toEqual([]);
  });

  it('asks for both touchpoint headers everywhere, and for the token where the specification does', () => {
    expect(document.content.components.securitySchemes).toMatchObject({
      touchpointCode: { type: 'apiKey', in: 'header', name: 'X-Touchpoint-Code' },
      touchpointKey: { type: 'apiKey', in: 'header', name: 'X-Touchpoint-Key' },
      bearer: { type: 'http', scheme: 'bearer' },
    });
    const withToken = document.live.filter(([, { security }]) => security?.some((needs) => 'bearer' in needs));
    const sessions = [
      'DELETE /api/v1/me/sessions/{sessionId}',
      'GET /api/v1/me/sessions',
      'POST /api/v1/session/extend',
    ];
    const lines = [
      'GET /api/v1/me',
      'PATCH /api/v1/me',
      'POST /api/v1/logout',
      'POST /api/v1/password/change',
      ...sessions,
    ];
    const verifications = linesOf(document.operations).filter((line) => line.includes('/verifications/'));
    expect(linesOf(withToken).sort()).toEqual([...lines, ...verifications].sort());
    for (const [line, { security }] of document.live) {
      expect({ line, alternatives: security?.length }).toEqual({ line, alternatives: 1 });
    }
    for (const [line, { security = [] }] of document.ofTheApi) {
      const withoutTouchpoint = security.filter((needs) => !('touchpointCode' in needs && 'touchpointKey' in needs));
      expect({ line, withoutTouchpoint, open: security.length === 0 }).toEqual({
        line,
        withoutTouchpoint: [],
        open: false,
      });
    }
  });

  it('tells where an idempotency key is taken, and how a repeated answer is known', () => {
    const taking = document.operations.filter(([, { parameters = [] }]) =>
      parameters.some(({ in: place, name }) => place === 'header' && name === 'Idempotency-Key'),
    );
    const paths = ['identify', 'password/forgot', 'password/reset', 'register', 'register/complete'];
    expect(linesOf(taking).sort()).toEqual(paths.map((path) => `POST /api/v1/${path}`));
    for (const [, operation] of taking) {
      const conflicts = document.bodiesOf(operation).filter(({ place }) => place === '409');
      const codes = conflicts.flatMap(({ examples }) => examples.map(([, value]) => (value as { code: string }).code));
      expect(codes).toEqual(expect.arrayContaining(['IDEMPOTENCY_KEY_REUSED', 'REQUEST_IN_PROGRESS']));
      for (const [status, { headers }] of document.responsesOf(operation)) {
        if (status.startsWith('2')) expect(headers).toHaveProperty('Idempotency-Replayed');
      }
    }
  });

  it('marks the eighteen reserved operations, whose one success is only for the day when they are live', () => {
    expect(document.reserved).toHaveLength(18);
    for (const [line, { responses, description, requestBody }] of document.reserved) {
      const [success = '', ...others] = Object.keys(responses).sort();
      expect({ line, others }).toEqual({ line, others: ['400', '401', '408', '431', '500', '501', '503'] });
      expect(['200', '201', '202']).toContain(success);
      expect(responses[success]?.description).toMatch(/^Not before it is live/);
      expect(description).toMatch(/always 501/);
      expect({ line, hasBody: requestBody !== undefined }).toEqual({ line, hasBody: line.startsWith('POST') });
    }
  });
});
