import { isCompactToken } from './compact-token';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const isCanonical = (segment: string) => Buffer.from(segment, 'base64url').toString('base64url') === segment;

describe('a compact token', () => {
  it('has one spelling for the bytes of each of its three segments', () => {
    for (const start of ['', 'A', '_-', 'xyz', 'AAAA', 'AAAA9', 'AAAAxy', 'AAAAxyz']) {
      for (const last of ALPHABET) {
        const segment = start + last;
        for (const token of [`${segment}.AA.AA`, `AA.${segment}.AA`, `AA.AA.${segment}`]) {
          expect([token, isCompactToken(token)]).toEqual([token, isCanonical(segment)]);
        }
      }
    }
  });

  it('has three segments of base64url, none of them empty, and nothing else', () => {
    expect(isCompactToken('AA.AA.AA')).toBe(true);
    for (const text of ['', 'AA', 'AA.AA', 'AA.AA.', '.AA.AA', 'AA..AA', 'AA.AA.AA.AA', 'AA.AA.AA=', 'AA.AA.AA\n']) {
      expect([text, isCompactToken(text)]).toEqual([text, false]);
    }
    for (const text of [' AA.AA.AA', 'AA.A A.AA', 'AA.A+/A.AA', 'AA.AÀAA.AA', 'AA==.AA.AA']) {
      expect([text, isCompactToken(text)]).toEqual([text, false]);
    }
  });
});
