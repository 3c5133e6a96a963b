import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeOldFromMailbox } from './mailbox';

describe('the development mailbox', () => {
  it('loses the messages that were made before a time, drafts included, and nothing else', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'mailbox-'));
    try {
      const [old, young] = ['0192f0c1-7a3e-7b2a-9c55-0f2d6f0f6a11', '0192f0c1-7a3f-7b2a-9c55-0f2d6f0f6a11'];
      const kept = [`${young}.eml`, `${young}.json`, 'notes.txt'];
      const names = [...kept, `${old}.eml`, `${old}.json`, `${old}.eml.0a1b2c`];
      for (const name of names) await writeFile(join(directory, name), '');
      await removeOldFromMailbox(directory, 0x0192f0c17a3f);
      expect((await readdir(directory)).sort()).toEqual(kept.sort());
      await expect(removeOldFromMailbox(join(directory, 'missing'), 0)).resolves.toBeUndefined();
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it('loses the old messages also where one of them cannot be deleted, and tells of it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'mailbox-'));
    try {
      const old = '0192f0c1-7a3e-7b2a-9c55-0f2d6f0f6a';
      await mkdir(join(directory, `${old}00.eml`));
      for (const number of ['11', '12']) await writeFile(join(directory, `${old}${number}.eml`), '');
      await expect(removeOldFromMailbox(directory, 0x0192f0c17a3f)).rejects.toThrow('1 old files stay');
      expect(await readdir(directory)).toEqual([`${old}00.eml`]);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
