import { AppConfig } from '../../platform/settings/config';
import { Secrets } from '../../platform/secrets/secrets';
import type { Message } from '../message';
import { MessageSeal } from './message-seal';

const ID = '0192f0c1-7a3e-7b2a-9c55-0f2d6f0f6a11';
const MESSAGE: Message = { kind: 'password-changed', channel: 'email', to: 'ada@example.com', locale: 'de' };
const OLD = 'the secret of the year before that one';
const NEW = 'the secret of this year for new messages';

const sealWith = (APP_SECRET: string) => new MessageSeal(new Secrets(new AppConfig({ APP_SECRET })));

describe('a sealed message', () => {
  it('is opened with the secret that sealed it, while that is still accepted', () => {
    const sealed = sealWith(OLD).seal(ID, MESSAGE);
    expect(sealWith(`${NEW},${OLD}`).open(ID, sealed)).toEqual(MESSAGE);
    expect(sealWith(NEW).open(ID, sealed)).toBeNull();
  });

  it('shows nothing of its address, and is never the same twice', () => {
    const [first, second] = [sealWith(NEW).seal(ID, MESSAGE), sealWith(NEW).seal(ID, MESSAGE)];
    expect(JSON.stringify(first) + Buffer.from(first.sealed, 'base64').toString('latin1')).not.toContain('ada');
    expect(first.sealed).not.toBe(second.sealed);
  });

  it('is unreadable, and no obstacle, when it was altered or is taken for another message', () => {
    const seal = sealWith(NEW);
    const { sealed, ...rest } = seal.seal(ID, MESSAGE);
    const altered = Buffer.from(sealed, 'base64');
    altered.writeUInt8(altered.readUInt8(altered.length - 1) ^ 1, altered.length - 1);
    expect(seal.open(ID, { ...rest, sealed: altered.toString('base64') })).toBeNull();
    expect(seal.open(ID, { ...rest, sealed: 'AAAA' })).toBeNull();
    expect(seal.open(ID.replace('0192', '0193'), { ...rest, sealed })).toBeNull();
  });
});
