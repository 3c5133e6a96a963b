import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ArgumentsHost, Catch, type ExceptionFilter, type INestApplication } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import type { NextFunction, Request, Response } from 'express';
import { ApiError } from '../platform/errors/api-error';
import { strongEntityTag } from '../platform/http/entity-tag';
import { COUNTRIES, subdivisionsOf } from './iso-3166';
import { ReferenceModule } from './reference.module';

const COUNTRIES_PATH = '/api/v1/reference/countries';
const VARY = 'X-Touchpoint-Code, X-Touchpoint-Key, Accept-Language';

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Stands in for the application's filter, which needs its logger. */
@Catch(ApiError)
class StatusFilter implements ExceptionFilter<ApiError> {
  catch({ status, code }: ApiError, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<Response>().status(status).json({ code });
  }
}

describe('the reference data over HTTP', () => {
  let app: INestApplication;
  let origin: string;

  beforeAll(async () => {
    const module = await Test.createTestingModule({ imports: [ReferenceModule] }).compile();
    app = module.createNestApplication(new ExpressAdapter());
    app.use((_request: Request, response: Response, next: NextFunction) => {
      response.setHeader('X-Request-Id', 'set-before');
      next();
    });
    app.useGlobalFilters(new StatusFilter());
    await app.listen(0, '127.0.0.1');
    const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
    origin = `http://127.0.0.1:${port}`;
  });

  afterAll(() => app.close());

  /** Sends exactly these headers, unlike `fetch`. */
  function send(path: string, headers: Record<string, string | string[]> = {}, method = 'GET'): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const request = httpRequest(origin + path, { method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks).toString() });
        });
      });
      request.on('error', reject);
      request.end();
    });
  }

  async function etagOf(path: string): Promise<string> {
    const { etag } = (await send(path)).headers;
    return etag ?? '';
  }

  async function germanyIn(
    acceptLanguage: string,
  ): Promise<{ language: string | undefined; name: string | undefined }> {
    const { headers, body } = await send(COUNTRIES_PATH, { 'Accept-Language': acceptLanguage });
    const countries = JSON.parse(body) as { code: string; name: string }[];
    return { language: headers['content-language'], name: countries.find(({ code }) => code === 'DE')?.name };
  }

  it('lists the countries in English, to be cached for a day', async () => {
    const { status, headers, body } = await send(COUNTRIES_PATH);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'content-language': 'en',
      'cache-control': 'public, max-age=86400',
      vary: VARY,
      etag: strongEntityTag(Buffer.from(body)),
      'x-request-id': 'set-before',
    });
    expect(JSON.parse(body)).toEqual(COUNTRIES);
  });

  it('lists the subdivisions of a country, to be cached for a day', async () => {
    const { status, headers, body } = await send(`${COUNTRIES_PATH}/DE/subdivisions`);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'public, max-age=86400',
      vary: VARY,
      etag: strongEntityTag(Buffer.from(body)),
      'x-request-id': 'set-before',
    });
    expect(headers).not.toHaveProperty('content-language');
    expect(JSON.parse(body)).toEqual(subdivisionsOf('DE'));
  });

  it.each(['de', 'De', 'D%45'])('knows the country %s in any spelling', async (code) => {
    const { status, headers } = await send(`${COUNTRIES_PATH}/${code}/subdivisions`);
    expect(status).toBe(200);
    expect(headers.etag).toBe(await etagOf(`${COUNTRIES_PATH}/DE/subdivisions`));
  });

  it('answers an empty list for a country without subdivisions', async () => {
    const { status, body } = await send(`${COUNTRIES_PATH}/AQ/subdivisions`);
    expect({ status, body }).toEqual({ status: 200, body: '[]' });
  });

  it.each(['XK', 'zz', 'DEU', '276', 'D', '%C3%9F', '%EF%AC%81', 'DE%20', '__proto__'])(
    'finds no country %s',
    async (code) => {
      const { status, headers, body } = await send(`${COUNTRIES_PATH}/${code}/subdivisions`);
      expect(status).toBe(404);
      expect(JSON.parse(body)).toEqual({ code: 'COUNTRY_NOT_FOUND' });
      expect(headers).not.toHaveProperty('cache-control');
    },
  );

  describe.each([COUNTRIES_PATH, `${COUNTRIES_PATH}/DE/subdivisions`])('%s', (path) => {
    const forms: [string, (etag: string) => string | string[]][] = [
      ['the current ETag', (etag) => etag],
      ['its weak form', (etag) => `W/${etag}`],
      ['the wildcard', () => '*'],
      ['a list', (etag) => `"a,b", ${etag}`],
      ['two field lines', (etag) => ['"other"', etag]],
    ];

    it.each(forms)('answers 304 to %s', async (_, ifNoneMatch) => {
      const full = await send(path);
      const { status, headers, body } = await send(path, { 'If-None-Match': ifNoneMatch(full.headers.etag ?? '') });
      expect({ status, body }).toEqual({ status: 304, body: '' });
      for (const name of ['etag', 'cache-control', 'vary', 'content-language', 'x-request-id']) {
        expect(headers[name]).toBe(full.headers[name]);
      }
      expect(headers).not.toHaveProperty('content-type');
    });

    it('answers 304 to fetch, which adds Cache-Control: no-cache', async () => {
      const etag = await etagOf(path);
      for (const field of [etag, `W/${etag}`, '*', `"other", ${etag}`]) {
        const response = await fetch(origin + path, { headers: { 'If-None-Match': field } });
        expect(response.status).toBe(304);
        expect(await response.text()).toBe('');
      }
    });

    it.each(['"other"', 'W/"other"', 'nonsense', '"'])('answers 200 to %s', async (field) => {
      expect((await send(path, { 'If-None-Match': field })).status).toBe(200);
    });

    it('answers HEAD with the headers of GET and no body', async () => {
      const get = await send(path);
      const head = await send(path, {}, 'HEAD');
      expect({ status: head.status, body: head.body }).toEqual({ status: 200, body: '' });
      expect({ ...head.headers, date: '' }).toEqual({ ...get.headers, date: '' });
      expect((await send(path, { 'If-None-Match': get.headers.etag ?? '' }, 'HEAD')).status).toBe(304);
    });
  });

  it.each([
    { accept: 'de', language: 'de', name: 'Deutschland' },
    { accept: 'fr-CH, fr;q=0.9', language: 'fr', name: 'Allemagne' },
    { accept: 'tlh, ja;q=0.5', language: 'ja', name: 'ドイツ' },
    { accept: '*', language: 'en', name: 'Germany' },
    { accept: 'de;q=x', language: 'en', name: 'Germany' },
  ])('names Germany $name for $accept', async ({ accept, language, name }) => {
    expect(await germanyIn(accept)).toEqual({ language, name });
  });

  it('gives each language an ETag of its own', async () => {
    const english = await etagOf(COUNTRIES_PATH);
    const german = await send(COUNTRIES_PATH, { 'Accept-Language': 'de', 'If-None-Match': english });
    expect(german.status).toBe(200);
    expect(german.headers.etag).not.toBe(english);
    const again = await send(COUNTRIES_PATH, {
      'Accept-Language': 'de-AT',
      'If-None-Match': german.headers.etag ?? '',
    });
    expect(again.status).toBe(304);
    expect(again.headers['content-language']).toBe('de');
  });

  it('makes the same ETags in another instance of the service', async () => {
    const before = [await etagOf(COUNTRIES_PATH), await etagOf(`${COUNTRIES_PATH}/FR/subdivisions`)];
    const other = await Test.createTestingModule({ imports: [ReferenceModule] }).compile();
    const replica = other.createNestApplication(new ExpressAdapter());
    await replica.listen(0, '127.0.0.1');
    const { port } = (replica.getHttpServer() as { address(): AddressInfo }).address();
    const etags = await Promise.all(
      [COUNTRIES_PATH, `${COUNTRIES_PATH}/FR/subdivisions`].map(async (path) => {
        const response = await fetch(`http://127.0.0.1:${port}${path}`);
        await response.arrayBuffer();
        return response.headers.get('etag');
      }),
    );
    await replica.close();
    expect(etags).toEqual(before);
  });
});
