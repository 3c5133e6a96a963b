import { ApiDocument } from '../../support/documents/api-document';
import { TestService } from '../../support/service/test-service';

describe('the OpenAPI document, of what can go wrong,', () => {
  let document: ApiDocument;

  beforeAll(async () => {
    document = await ApiDocument.of(await TestService.shared());
  });

  it('names for every operation the errors that every one can answer, each with an example of its own', () => {
    for (const [line, operation] of document.ofTheApi) {
      const problems = document.bodiesOf(operation).filter(({ place }) => Number(place) >= 400);
      const codes = problems.flatMap(({ place, examples }) => examples.map(([code]) => `${place} ${code}`));
      const always = ['401 TOUCHPOINT_UNAUTHORIZED', '503 SERVICE_UNAVAILABLE'];
      expect({ line, codes }).toEqual({ line, codes: expect.arrayContaining(always) as string[] });
      for (const { place, examples } of problems) {
        for (const [code, value] of examples) expect(value).toMatchObject({ code, status: Number(place) });
      }
    }
  });

  it('names for every operation, public and reserved ones too, what Node refuses and what can fail', () => {
    for (const [line, { responses }] of document.operations) {
      const statuses = Object.keys(responses);
      const always = ['400', '408', '431', '500'];
      expect({ line, statuses }).toEqual({ line, statuses: expect.arrayContaining(always) as string[] });
    }
  });

  it('tells what is left of the limits with every answer that comes after them, and with no other', () => {
    const live = new Set(document.live.map(([line]) => line));
    for (const [line, operation] of document.operations) {
      for (const [status, { headers = {}, content = {} }] of document.responsesOf(operation)) {
        const tells = 'RateLimit' in headers && 'RateLimit-Policy' in headers;
        const codes = Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples));
        const isBefore = ['408', '431'].includes(status) || /^(TOUCHPOINT|SUBSCRIBER)_UNAUTHORIZED$/.test(codes.join());
        const isLimited = live.has(line) || line.includes(' /integration/v1/');
        expect({ line, status, tells }).toEqual({ line, status, tells: isLimited && !isBefore });
      }
    }
  });

  it('tells of operations with a body how it can be wrong, and of live ones that they are limited', () => {
    for (const [line, { responses, requestBody }] of document.live) {
      const statuses = Object.keys(responses);
      const bodyErrors = requestBody ? ['400', '413', '415'] : [];
      expect({ line, statuses }).toEqual({
        line,
        statuses: expect.arrayContaining(['429', '500', ...bodyErrors]) as string[],
      });
      expect(statuses.some((status) => status.startsWith('2'))).toBe(true);
    }
    expect(document.live.filter(([, { requestBody }]) => requestBody).length).toBeGreaterThan(3);
  });
});
