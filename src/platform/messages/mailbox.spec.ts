import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
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
});
