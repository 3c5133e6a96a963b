import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import fc from 'fast-check';
import { hostileJson, hostileString } from './hostile-bodies';

type Json = Record<string, unknown>;

/** How a token is made of a good one; the key is the one that the good one was signed with. */
export type Forgery = (token: string, key: KeyObject) => string;

const encode = (value: string | Buffer) => Buffer.from(value).toString('base64url');
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString()) as Json;
const signatureOf = (input: string, key: KeyObject) =>
  sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');

/** Signed as the service signs, so that only what the token says can make it wrong. */
const signedAs =
  (change: (header: Json, claims: Json) => [header: string, claims: string]): Forgery =>
  (token, key) => {
    const [header, claims] = token.split('.').map((part, index) => (index < 2 ? decode(part) : {}));
    const [headerText, claimsText] = change(header ?? {}, claims ?? {});
    const input = `${encode(headerText)}.${encode(claimsText)}`;
    return `${input}.${signatureOf(input, key)}`;
  };

/** The object's text with the JSON text in the place of a member, which may be one that no value has. */
const withMember = (object: Json, name: string, json: string): string =>
  JSON.stringify({ ...object, [name]: '\u0007' }).replace('"\\u0007"', () => json);

const without = (object: Json, name: string): string => JSON.stringify({ ...object, [name]: undefined });

const HEADER_MEMBERS = ['alg', 'typ', 'kid'];
const CLAIMS = ['iss', 'sub', 'sid', 'exp', 'iat'];
const KEY_BRINGERS = ['crit', 'jwk', 'jku', 'x5u', 'x5c'];
const FAR_TIMES = ['0', '-1', '1', '1e308', '99999999999', '"99999999999"', '1.5', 'null', 'true', '[]', '{}'];

const { privateKey: strangersKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const otherAlgorithm =
  (alg: string, signature: (input: string, key: KeyObject) => string): Forgery =>
  (token, key) => {
    const [header, claims] = token.split('.');
    const input = `${encode(JSON.stringify({ ...decode(header), alg }))}.${claims}`;
    return `${input}.${signature(input, key)}`;
  };

const publicPem = (key: KeyObject) => createPublicKey(key).export({ format: 'pem', type: 'spki' });

const fixedForgeries: Forgery[] = [
  ...['none', 'None', 'nOnE', ''].map((alg) => otherAlgorithm(alg, () => '')),
  ...['HS256', 'ES384', 'RS256', 'EdDSA'].map((alg) =>
    otherAlgorithm(alg, (input, key) => createHmac('sha256', publicPem(key)).update(input).digest('base64url')),
  ),
  otherAlgorithm('ES256', (input) => signatureOf(input, strangersKey)),
  otherAlgorithm('ES256', () => encode(Buffer.alloc(64))),
  otherAlgorithm('ES256', (input, key) => sign('sha256', Buffer.from(input), key).toString('base64url')),
  signedAs((header, claims) => [
    JSON.stringify({ ...header, jwk: publicKey.export({ format: 'jwk' }) }),
    JSON.stringify(claims),
  ]),
  (token) => `${token}=`,
  (token) => `${token}.`,
  (token) => `.${token}`,
  (token) => token.replace('.', '..'),
  (token) => token.slice(0, -4),
  (token) => token.replaceAll('-', '+').replaceAll('_', '/') + '+',
  (token) => token.split('.').slice(0, 2).join('.'),
  (token) => `${token}, ${token}`,
  (token) => `${token} ${token}`,
  (token) => `"${token}"`,
  (token) => encode(token),
];

/** Of all that a stranger can send, and of what the service itself would never sign. */
export const forgery: fc.Arbitrary<Forgery> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...fixedForgeries) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...HEADER_MEMBERS, ...KEY_BRINGERS), hostileJson)
      .map(([name, json]) => signedAs((header, claims) => [withMember(header, name, json), JSON.stringify(claims)])),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...CLAIMS), fc.oneof(hostileJson, fc.constantFrom(...FAR_TIMES)))
      .map(([name, json]) => signedAs((header, claims) => [JSON.stringify(header), withMember(claims, name, json)])),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...CLAIMS)
      .map((name) => signedAs((header, claims) => [JSON.stringify(header), without(claims, name)])),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...HEADER_MEMBERS)
      .map((name) => signedAs((header, claims) => [without(header, name), JSON.stringify(claims)])),
  },
  {
    weight: 1,
    arbitrary: hostileJson.map((json) => signedAs((header) => [JSON.stringify(header), json])),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat(400), fc.nat(63)).map(([at, shift]): Forgery => (token) => {
      // The last character's spare bits do not count, and the dots would only change place.
      const position = at % (token.lastIndexOf('.') - 1);
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
      const other = alphabet[(alphabet.indexOf(token[position] ?? '') + 1 + (shift % 63)) % 64] ?? 'A';
      return token.slice(0, position) + other + token.slice(position + 1);
    }),
  },
  {
    weight: 2,
    arbitrary: hostileString.map(
      (text): Forgery =>
        () =>
          text,
    ),
  },
);
