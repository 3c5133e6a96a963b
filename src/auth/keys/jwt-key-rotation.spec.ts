import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FixedClock } from '../../../test/support/in-process/fixed-clock';
import { AppConfig } from '../../platform/settings/config';
import { JwtKeyRotation } from './jwt-key-rotation';
import { JwtKeysFile } from './jwt-keys-file';
import { newPrivateJwk } from './private-jwk';

const DAY_MINUTES = 24 * 60;

describe('the keys of customer tokens', () => {
  let directory: string;
  let path: string;
  let clock: FixedClock;
  let rotation: JwtKeyRotation;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'jwt-keys-'));
    path = join(directory, 'keys.json');
    clock = new FixedClock(Date.parse('2026-06-01T12:00:00Z'));
    rotation = rotationOf(path);
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  function rotationOf(JWT_KEYS_FILE: string): JwtKeyRotation {
    const config = new AppConfig({ JWT_KEYS_FILE, JWT_TTL_SECONDS: '600' });
    return new JwtKeyRotation(new JwtKeysFile(config), config, clock);
  }

  const states = async () => (await rotation.list()).map(({ kid, state }) => `${state} ${kid}`);

  it('are known before they sign, and verify until their last token has expired', async () => {
    const first = await rotation.generate(300);
    expect(first.keys).toEqual([{ kid: first.kid, state: 'signing', signsFrom: null, neededUntil: null }]);

    const second = await rotation.generate(300);
    expect(second.keys).toEqual([
      { kid: second.kid, state: 'next', signsFrom: '2026-06-01T12:05:00.000Z', neededUntil: null },
      { kid: first.kid, state: 'signing', signsFrom: null, neededUntil: '2026-06-01T12:15:00.000Z' },
    ]);
    clock.advance({ seconds: 299 });
    expect(await states()).toEqual([`next ${second.kid}`, `signing ${first.kid}`]);
    clock.advance({ seconds: 1 });
    expect(await states()).toEqual([`signing ${second.kid}`, `verifying ${first.kid}`]);

    const third = await rotation.generate(0);
    expect(await states()).toEqual([`signing ${third.kid}`, `verifying ${second.kid}`, `verifying ${first.kid}`]);
  });

  it('are dropped once no token of theirs can live, whatever its lifetime, and not before', async () => {
    const first = await rotation.generate(0);
    const second = await rotation.generate(60);
    clock.advance({ minutes: DAY_MINUTES + 1 });
    expect(await rotation.generate(300)).toMatchObject({ dropped: [] });
    clock.advance({ seconds: 1 });
    const { dropped, keys } = await rotation.generate(300);
    expect(dropped).toEqual([first.kid]);
    expect(keys.map(({ kid, state }) => [kid === second.kid, state])).toEqual([
      [false, 'next'],
      [false, 'next'],
      [true, 'signing'],
    ]);
  });

  it('stay where nothing tells when they were superseded', async () => {
    writeFileSync(path, JSON.stringify({ keys: [newPrivateJwk(), newPrivateJwk()] }));
    const [, verifying] = await rotation.list();
    expect(verifying).toMatchObject({ state: 'verifying', signsFrom: null, neededUntil: null });
    clock.advance({ minutes: 30 * DAY_MINUTES });
    expect(await rotation.generate(0)).toMatchObject({ dropped: [] });
    clock.advance({ minutes: DAY_MINUTES + 1 });
    expect((await rotation.generate(0)).dropped).toHaveLength(2);
  });

  it('keep what else their file holds, who may read it but strangers, and the link to it', async () => {
    writeFileSync(path, JSON.stringify({ keys: [{ ...newPrivateJwk(), use: 'sig', note: 'ours' }], owner: 'us' }));
    chmodSync(path, 0o644);
    const link = join(directory, 'link.json');
    symlinkSync(path, link);
    await rotationOf(link).generate(0);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      keys: [{ use: 'sig' }, { use: 'sig', note: 'ours' }],
      owner: 'us',
    });
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(directory).sort()).toEqual(['keys.json', 'link.json']);
  });

  it('are changed by one command at a time, and none of several keys is lost', async () => {
    await rotation.generate(0);
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => rotation.generate(300)));
    const kept = (await rotation.list()).map(({ kid }) => kid);
    const made = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.kid] : []));
    expect(made.length).toBeGreaterThan(0);
    expect(kept).toHaveLength(made.length + 1);
    expect(kept).toEqual(expect.arrayContaining(made));
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(String(outcome.reason)).toMatch(/Another command is changing the keys/);
    }
  });

  it('stay as they are when they cannot be used or written', async () => {
    writeFileSync(path, '{"keys":[]}');
    await expect(rotation.generate(0)).rejects.toThrow(/keys\.json cannot be used \(it must be a JWK Set/);
    expect(readFileSync(path, 'utf8')).toBe('{"keys":[]}');
    expect(readdirSync(directory)).toEqual(['keys.json']);
    await expect(rotationOf('/proc/keys.json').generate(0)).rejects.toThrow(
      /^\/proc\/keys\.json cannot be written \(E/,
    );
  });
});
