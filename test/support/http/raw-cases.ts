import { METHODS } from 'node:http';
import { answerTo, type RawAnswer, type RawOptions } from './raw-http';

export const CODE = 'X-Touchpoint-Code';
export const KEY = 'X-Touchpoint-Key';
export const HOST = { Host: 'api.example.com' };
export const JSON_TYPE = { 'Content-Type': 'application/json' };

/** A request to be sent as it is, and what is sent after it. */
export type RawCase = string | [bytes: string, options: RawOptions];

export const withLength = (body: string, length = Buffer.byteLength(body)) => ({ 'Content-Length': String(length) });
export const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
export const CHUNKED = { 'Transfer-Encoding': 'chunked' };
export const ENDLESS: RawOptions = { endless: Buffer.from(`2000\r\n${'x'.repeat(0x2000)}\r\n`) };

/** Every method that Node's parser knows but CONNECT, whose target is no path. */
export const ALL_METHODS = METHODS.filter((method) => method !== 'CONNECT');

/** What is not `/api/v1/me`, however near it comes. */
export const OTHER_SPELLINGS = [
  '/API/v1/me',
  '/api/V1/me',
  '/api/v1/ME',
  '//api/v1/me',
  '/api//v1/me',
  '/api/v1/me/',
  '/api/v1/me//',
  '/api/v1/./me',
  '/api/v1/x/../me',
  '/%61pi/v1/me',
  '/api/v1/%6de',
  '/api%2Fv1%2Fme',
  '/api/v1/me%00',
  '/api/v1/me%20',
  '/api/v1/me;x=1',
  '/api\\v1\\me',
  '/api/v1/me#',
  '/api\\v1\\me#',
  '/api/v1/me?x#',
  'http://api.example.com/api\\v1\\me',
  'http://api.example.com//api/v1/me',
  '/api/v1/%zz',
  '/api/v1/%',
  '/api/v1/%c0%af',
  '/api/v1/reference/countries/%zz/subdivisions',
  '/api/v1/activities/mileage/%zz',
  '/api/v1',
  '/api/v1/',
  '/',
  '*',
];

/** The only answer to a request. */
export const answerOf = (baseUrl: string, raw: RawCase): Promise<RawAnswer> =>
  typeof raw === 'string' ? answerTo(baseUrl, raw) : answerTo(baseUrl, ...raw);

/** What each request was told, by the request's name. */
export async function outcomesOf<T>(
  baseUrl: string,
  cases: Record<string, RawCase>,
  read: (answer: RawAnswer) => T,
): Promise<Record<string, T>> {
  const entries = Object.entries(cases).map(async ([name, raw]) => [name, read(await answerOf(baseUrl, raw))] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** Such as `404 NOT_FOUND`, or `204`. */
export const statusAndCode = ({ status, body }: RawAnswer) =>
  status < 400 || body === '' ? `${status}` : `${status} ${(JSON.parse(body) as { code: string }).code}`;

/** The same outcome under the name of every case. */
export const all = <T>(cases: Record<string, RawCase>, outcome: T): Record<string, T> =>
  Object.fromEntries(Object.keys(cases).map((name) => [name, outcome]));
