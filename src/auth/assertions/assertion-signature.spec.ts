import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createLocalJWKSet } from 'jose';
import { signedBytes } from './assertion-signature';

const PAYLOAD = JSON.stringify({ sub: 'ada' });
const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
const short = generateKeyPairSync('rsa', { modulusLength: 1024 });

const tokenOf = (header: object, signature: (text: string) => Buffer): string => {
  const text = [JSON.stringify(header), PAYLOAD].map((part) => Buffer.from(part).toString('base64url')).join('.');
  return `${text}.${signature(text).toString('base64url')}`;
};
const signedBy = ({ privateKey }: { privateKey: KeyObject }, header: object = {}): string =>
  tokenOf({ alg: 'RS256', ...header }, (text) => sign('sha256', Buffer.from(text), privateKey));
const jwkOf = (key: KeyObject): object => key.export({ format: 'jwk' });
const outcomeOf = async (token: string, keys: object[]): Promise<string> =>
  Buffer.from(await signedBytes(token, createLocalJWKSet({ keys }))).toString();

describe('what a key has signed', () => {
  it('is found among several keys, with and without a name', async () => {
    const keys = [jwkOf(other.publicKey), { ...jwkOf(pair.publicKey), kid: '1' }];
    for (const header of [{}, { kid: '1' }]) expect(await outcomeOf(signedBy(pair, header), keys)).toBe(PAYLOAD);
    expect(await outcomeOf(signedBy(short), keys)).toBe('bad signature');
    expect(await outcomeOf(signedBy(pair, { kid: '2' }), keys)).toBe('unknown key');
  });

  it.each([
    ['is too short', short, jwkOf(short.publicKey), 'bad signature'],
    ['is private', pair, jwkOf(pair.privateKey), 'bad signature'],
    ['cannot be read', pair, { kty: 'RSA', n: '?', e: 1 }, 'bad signature'],
    ['is for something else', pair, { ...jwkOf(pair.publicKey), use: 'enc' }, 'unknown key'],
    ['is for another algorithm', pair, { ...jwkOf(pair.publicKey), alg: 'PS256' }, 'unknown key'],
    ['is of no known type', pair, { kty: 'LATTICE' }, 'unknown key'],
  ])('counts for nothing when the key %s', async (_, signer, jwk, outcome) => {
    expect(await outcomeOf(signedBy(signer), [jwk])).toBe(outcome);
  });

  it('is nothing that whoever verifies could have made', async () => {
    const secret = Buffer.from('the issuer publishes this');
    const token = tokenOf({ alg: 'HS256' }, (text) => createHmac('sha256', secret).update(text).digest());
    expect(await outcomeOf(token, [{ kty: 'oct', k: secret.toString('base64url') }])).toBe('bad signature');
    expect(
      await outcomeOf(
        tokenOf({ alg: 'none' }, () => Buffer.alloc(0)),
        [jwkOf(pair.publicKey)],
      ),
    ).toBe('bad signature');
  });
});
