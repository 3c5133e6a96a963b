/**
 * Pins the images of others by their digests: writes after each tag what the registry has under it now.
 *
 *   node docker/pin-images.mjs           needs docker with buildx, and the network
 *   node docker/pin-images.mjs --check   needs neither; fails, and names them, while images are not pinned
 *
 * Another directory than this one may be named last.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const FILES = ['Dockerfile', 'compose.yaml', 'compose.scale.yaml'];
const IMAGE = /^(ARG NODE_IMAGE=| *image: )(?!consumer-service:)([\w./:-]+)(@sha256:[0-9a-f]{64})?$/gm;
const ANY_IMAGE = /^(?:ARG NODE_IMAGE=| *image: )(?!consumer-service:)(.+)$/gm;

const { values, positionals } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true });
const directory = positionals[0] ?? import.meta.dirname;

/** @param {string} image */
function digestOf(image) {
  const inspect = ['buildx', 'imagetools', 'inspect', '--format', '{{.Manifest.Digest}}', image];
  const digest = execFileSync('docker', inspect, { encoding: 'utf8' }).trim();
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`${image} has no digest: ${digest}`);
  return digest;
}

for (const name of FILES) {
  const path = join(directory, name);
  const text = readFileSync(path, 'utf8');
  if (values.check) {
    for (const [, image = ''] of text.matchAll(ANY_IMAGE)) {
      if (/@sha256:[0-9a-f]{64}$/.test(image)) continue;
      console.error(`${name}: ${image} is not pinned by its digest`);
      process.exitCode = 1;
    }
  } else {
    writeFileSync(
      path,
      text.replaceAll(IMAGE, (_, before, image) => `${before}${image}@${digestOf(image)}`),
    );
  }
}
