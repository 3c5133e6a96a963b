import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const DOCKER = join(__dirname, '../../../docker');
const FILES = ['Dockerfile', 'compose.yaml', 'compose.scale.yaml'];
const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;

describe('docker/pin-images.mjs', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'consumer-service-images-'));
    for (const name of FILES) cpSync(join(DOCKER, name), join(directory, name));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  /** With a docker that answers every question with this. */
  function pin(answer: string, ...options: string[]) {
    const docker = join(directory, 'docker');
    writeFileSync(docker, `#!/bin/sh\nprintf '%s\\n' '${answer}'\n`);
    chmodSync(docker, 0o755);
    const env = { ...process.env, PATH: `${directory}${delimiter}${process.env.PATH}` };
    const args = [join(DOCKER, 'pin-images.mjs'), ...options, directory];
    return spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  }

  const imagesOf = (name: string) =>
    [...readFileSync(join(directory, name), 'utf8').matchAll(/(?:ARG NODE_IMAGE=|image: )(\S+)/g)]
      .map(([, image = '']) => image)
      .filter((image) => !image.startsWith('consumer-service:'));

  it('finds every image of others pinned', () => {
    expect(pin(DIGEST, '--check')).toMatchObject({ status: 0, stderr: '' });
  });

  it.each(['"postgres:17.6-bookworm"', 'example.org:5000/valkey/valkey:8.1'])(
    'finds that %s is not pinned',
    (image) => {
      writeFileSync(join(directory, 'compose.yaml'), `services:\n  other:\n    image: ${image}\n`);
      const { status, stderr } = pin(DIGEST, '--check');
      expect([status, stderr]).toEqual([1, `compose.yaml: ${image} is not pinned by its digest\n`]);
    },
  );

  it('stops the build of a release whose images are not pinned, until they are', () => {
    const images = FILES.flatMap(imagesOf);
    expect(images.length).toBeGreaterThanOrEqual(5);
    for (const name of FILES) {
      const text = readFileSync(join(directory, name), 'utf8');
      writeFileSync(join(directory, name), text.replaceAll(/@sha256:[0-9a-f]{64}/g, ''));
    }
    const { status, stderr } = pin(DIGEST, '--check');
    expect([status, stderr.trim().split('\n').length]).toEqual([1, images.length]);

    expect(pin(DIGEST).status).toBe(0);
    expect(FILES.flatMap(imagesOf).every((image) => image.endsWith(`@${DIGEST}`))).toBe(true);
    expect(pin(DIGEST, '--check')).toMatchObject({ status: 0, stderr: '' });
  });

  it('writes no answer that is not a digest', () => {
    const before = readFileSync(join(directory, 'Dockerfile'), 'utf8');
    expect(pin('manifest unknown').status).toBe(1);
    expect(readFileSync(join(directory, 'Dockerfile'), 'utf8')).toBe(before);
  });
});
