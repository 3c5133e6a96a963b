import { generateKeyPairSync } from 'node:crypto';
import { parsePublicKeySet } from './public-key-set';

const pairOf = {
  RSA: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  'short RSA': generateKeyPairSync('rsa', { modulusLength: 1024 }),
  EC: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  'EC of bitcoin': generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
  Ed25519: generateKeyPairSync('ed25519'),
  X25519: generateKeyPairSync('x25519'),
};
const jwkOf = (name: keyof typeof pairOf): object => pairOf[name].publicKey.export({ format: 'jwk' });
const parse = (...keys: unknown[]) => parsePublicKeySet(JSON.stringify({ keys }));

describe('a file of public keys', () => {
  it('holds keys of every kind that signs, of which only what is needed is kept', () => {
    const keys = [jwkOf('RSA'), { ...jwkOf('EC'), kid: '1', alg: 'ES384', use: 'sig' }, jwkOf('Ed25519')];
    expect(parse(...keys.map((key) => ({ ...key, x5c: ['MIIB'], comment: 'ours' })))).toEqual({ keys });
  });

  it.each([
    ['no JSON', 'keys', /must be a JWK Set/],
    ['no set', '{"kty":"EC"}', /must be a JWK Set/],
    ['an empty set', '{"keys":[]}', /must be a JWK Set/],
    ['too many keys', JSON.stringify({ keys: Array(101).fill(jwkOf('Ed25519')) }), /must be a JWK Set/],
  ])('is refused with %s', (_, text, message) => {
    expect(() => parsePublicKeySet(text)).toThrow(message);
  });

  it.each([
    ['a private key', pairOf.EC.privateKey.export({ format: 'jwk' }), /Key 2 of the key file is not public/],
    ['a secret', { kty: 'oct', k: 'AyM1SysPpbyDfgZld3umj1qzKObwVMko' }, /is not public/],
    ['a key for encryption', { ...jwkOf('RSA'), use: 'enc' }, /must be a signature key/],
    ['a key for key agreement', jwkOf('X25519'), /must be a signature key/],
    ['a curve of no algorithm of ours', jwkOf('EC of bitcoin'), /must be a signature key/],
    ['a point that is not on its curve', { ...jwkOf('EC'), x: 'AAAA' }, /must be a signature key/],
    ['no type', { n: 'AQAB', e: 'AQAB' }, /must be a signature key/],
    ['a short key', jwkOf('short RSA'), /must have at least 2048 bits/],
  ])('is refused with %s, which it names by its place', (_, key, message) => {
    expect(() => parse(jwkOf('EC'), key)).toThrow(message);
  });
});
